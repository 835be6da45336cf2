// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading of OpenBLAS at run time, and the fallback. The library is loaded and not linked, so that
// a program runs without it and nobody needs it to build.
//
// The fallback makes a row of sums at a time: `sums[j] += a[i, k] * b[k, j]` runs along rows of b,
// which vectorises, and adds the terms of every sum in ascending order.

#include "shardwise/execute/thunks/Blas.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <type_traits>

namespace shardwise::execute {
namespace {

// Values of the standard CBLAS enumerations.
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

/// Scalars of complex products are passed by address.
template <class T> struct ScalarOf {
  using type = T;
};
template <class T> struct ScalarOf<Complex<T>> {
  using type = const Complex<T> *;
};

template <class T>
using GemmFunction = void (*)(int order, int transA, int transB, int m, int n, int k,
                              typename ScalarOf<T>::type alpha, const T *a, int lda, const T *b,
                              int ldb, typename ScalarOf<T>::type beta, T *c, int ldc);

/// Some versions of OpenBLAS take newer processors for old ones and choose slow kernels. Names the
/// AVX-512 kernels if the processor has what they use; a choice of the user stays.
void chooseCoreType() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    setenv("OPENBLAS_CORETYPE", "SkylakeX", /*overwrite=*/0);
#endif
}

/// Whether the process may use only so much address space. OpenBLAS maps a buffer per thread when a
/// product first runs, and asks again for ever if that is refused: a run would not end.
bool isAddressSpaceLimited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// The library's entry points; null if there is none. Loaded once, on first use.
struct BlasLibrary {
  GemmFunction<float> sgemm = nullptr;
  GemmFunction<double> dgemm = nullptr;
  GemmFunction<Complex<float>> cgemm = nullptr;
  GemmFunction<Complex<double>> zgemm = nullptr;
  const char *name = "built-in";

  BlasLibrary() {
    // 0: the built-in kernels, for checks and for bisecting numerical differences. Else a library
    // that is asked before those of the system: the Python package names one that came with it.
    const char *wanted = std::getenv("SHARDWISE_BLAS");
    if (wanted && std::string_view(wanted) == "0")
      return;
    if (isAddressSpaceLimited())
      return;
    chooseCoreType();
    void *library = nullptr;
    for (const char *file : {wanted, "libopenblas.so.0", "libopenblas.so"})
      if (!library && file && *file)
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    // SciPy's builds of OpenBLAS have names of their own, so as to live beside another one.
    auto find = [&](auto &function, const std::string &symbol) {
      for (const char *prefix : {"", "scipy_"})
        if (!function)
          function = reinterpret_cast<std::decay_t<decltype(function)>>(
              dlsym(library, (prefix + symbol).c_str()));
    };
    void (*setThreads)(int) = nullptr;
    const char *(*coreName)() = nullptr;
    find(setThreads, "openblas_set_num_threads");
    find(coreName, "openblas_get_corename");
    find(sgemm, "cblas_sgemm");
    find(dgemm, "cblas_dgemm");
    find(cgemm, "cblas_cgemm");
    find(zgemm, "cblas_zgemm");
    // Every device has its own thread; more inside of each would only compete.
    if (setThreads)
      setThreads(1);
    if (!sgemm || !dgemm || !cgemm || !zgemm)
      sgemm = nullptr, dgemm = nullptr, cgemm = nullptr, zgemm = nullptr;
    else
      name = coreName ? coreName() : "blas";
  }
};

const BlasLibrary &blas() {
  static const BlasLibrary library;
  return library;
}

GemmFunction<float> gemmOf(float) {
  return blas().sgemm;
}
GemmFunction<double> gemmOf(double) {
  return blas().dgemm;
}
GemmFunction<Complex<float>> gemmOf(Complex<float>) {
  return blas().cgemm;
}
GemmFunction<Complex<double>> gemmOf(Complex<double>) {
  return blas().zgemm;
}

template <class T> T asScalar(const T &value) {
  return value;
}
template <class T> const Complex<T> *asScalar(const Complex<T> &value) {
  return &value;
}

/// Sums of narrow integers wrap, so any width of at least the result's will do; unsigned, because
/// signed overflow is undefined.
template <class T> struct SumOf {
  using type = std::conditional_t<std::is_floating_point_v<T> || kIsComplex<T>, T,
                                  std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
};

} // namespace

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, MatrixView<T> a, MatrixView<T> b,
              MatrixTarget<T> c) {
  constexpr int64_t kLargest = std::numeric_limits<int>::max();
  bool fits = std::max({m, n, k, a.rowStride, a.columnStride, b.rowStride, b.columnStride,
                        c.rowStride}) <= kLargest;
  GemmFunction<T> gemm = gemmOf(T());
  if (!gemm || !fits || m == 0 || n == 0 || k == 0)
    return multiplyPlain(m, n, k, a, b, c);
  // A transposed view is a row-major matrix whose rows are the columns.
  bool transA = a.columnStride != 1;
  bool transB = b.columnStride != 1;
  auto leading = [](int64_t stride, int64_t width) {
    return static_cast<int>(std::max({stride, width, int64_t(1)}));
  };
  T alpha(c.use == ProductUse::Subtract ? -1 : 1);
  T beta(c.use == ProductUse::Store ? 0 : 1);
  gemm(kRowMajor, transA ? kTranspose : kNoTranspose, transB ? kTranspose : kNoTranspose,
       static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), asScalar(alpha), a.data,
       transA ? leading(a.columnStride, m) : leading(a.rowStride, k), b.data,
       transB ? leading(b.columnStride, k) : leading(b.rowStride, n), asScalar(beta), c.data,
       leading(c.rowStride, n));
}

template <class T>
void multiplyPlain(int64_t m, int64_t n, int64_t k, MatrixView<T> a, MatrixView<T> b,
                   MatrixTarget<T> c) {
  using Sum = typename SumOf<T>::type;
  // A row of sums over up to this many columns stays in the level-1 cache.
  constexpr int64_t kColumns = 512;
  Sum sums[kColumns];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j0 = 0; j0 < n; j0 += kColumns) {
      int64_t width = std::min(kColumns, n - j0);
      std::fill_n(sums, width, Sum(0));
      for (int64_t term = 0; term < k; ++term) {
        auto factor = static_cast<Sum>(a.data[i * a.rowStride + term * a.columnStride]);
        const T *row = b.data + term * b.rowStride + j0 * b.columnStride;
        if (b.columnStride == 1)
          for (int64_t j = 0; j < width; ++j)
            sums[j] += factor * static_cast<Sum>(row[j]);
        else
          for (int64_t j = 0; j < width; ++j)
            sums[j] += factor * static_cast<Sum>(row[j * b.columnStride]);
      }
      T *target = c.data + i * c.rowStride + j0;
      for (int64_t j = 0; j < width; ++j)
        switch (c.use) {
        case ProductUse::Store:
          target[j] = static_cast<T>(sums[j]);
          break;
        case ProductUse::Add:
          target[j] = static_cast<T>(static_cast<Sum>(target[j]) + sums[j]);
          break;
        case ProductUse::Subtract:
          target[j] = static_cast<T>(static_cast<Sum>(target[j]) - sums[j]);
          break;
        }
    }
}

#define SHARDWISE_MULTIPLY(Name, T)                                                                \
  template void Name(int64_t, int64_t, int64_t, MatrixView<T>, MatrixView<T>, MatrixTarget<T>);
SHARDWISE_MULTIPLY(multiply, float)
SHARDWISE_MULTIPLY(multiply, double)
SHARDWISE_MULTIPLY(multiply, Complex<float>)
SHARDWISE_MULTIPLY(multiply, Complex<double>)
SHARDWISE_MULTIPLY(multiplyPlain, float)
SHARDWISE_MULTIPLY(multiplyPlain, double)
SHARDWISE_MULTIPLY(multiplyPlain, Complex<float>)
SHARDWISE_MULTIPLY(multiplyPlain, Complex<double>)
SHARDWISE_MULTIPLY(multiplyPlain, int8_t)
SHARDWISE_MULTIPLY(multiplyPlain, int16_t)
SHARDWISE_MULTIPLY(multiplyPlain, int32_t)
SHARDWISE_MULTIPLY(multiplyPlain, int64_t)
#undef SHARDWISE_MULTIPLY

void loadBlas() {
  blas();
}

const char *blasName() {
  return blas().name;
}

} // namespace shardwise::execute
