// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers for memory that runs out. Nothing here allocates.

#include "shardwise/tools/OutOfMemory.h"

#include "shardwise/support/MemoryRequest.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include <unistd.h>

namespace shardwise::tools {

namespace {

constexpr int kExitCode = 1;
const char *programName = "";

/// Writes one line, removes files that are written half, and ends the process.
[[noreturn]] void end(const char *what) {
  constexpr const char *kAdvice = "make the shapes or the program smaller, use fewer devices, or "
                                  "allow the process more memory (ulimit -v)";
  char line[512];
  int length = 0;
  if (const MemoryRequest *request = MemoryRequest::ofThisThread())
    length = std::snprintf(line, sizeof(line), "%s: error: %s, asking for %lld bytes for %s; %s\n",
                           programName, what, static_cast<long long>(request->bytes), request->what,
                           kAdvice);
  else
    length = std::snprintf(line, sizeof(line), "%s: error: %s; %s\n", programName, what, kAdvice);
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line, static_cast<size_t>(length));
  // Files that are written half go, as on Ctrl-C. No destructors, and no exit handlers of
  // libraries: one of them may allocate.
  llvm::sys::RunInterruptHandlers();
  ::_exit(kExitCode);
}

void onExhaustedNew() {
  end("memory has run out");
}

void onExhaustedLlvm(void *, const char *, bool) {
  end("memory has run out");
}

/// An exception that nobody catches; most of our code has none.
[[noreturn]] void onTerminate() {
  // The standard library throws where memory runs out inside of it, and where a thread cannot be
  // started; functions without exceptions end in here. Anything else is a mistake of ours.
  if (std::exception_ptr exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::bad_alloc &) {
      end("memory has run out");
    } catch (const std::system_error &error) {
      if (error.code() == std::errc::resource_unavailable_try_again ||
          error.code() == std::errc::not_enough_memory)
        end("no memory is left for another thread");
    } catch (...) {
    }
  }
  std::abort();
}

} // namespace

void endWhenMemoryRunsOut(const char *program) {
  programName = program;
  std::set_new_handler(onExhaustedNew);
  std::set_terminate(onTerminate);
  llvm::install_bad_alloc_error_handler(onExhaustedLlvm);
}

} // namespace shardwise::tools
