// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading topology files, and writing them.
//
// An object is read by the list of the keys that it may have: their names, whether they are
// required, and a function for the value. So every object has the same errors:
//   1. no JSON: the place, and what the parser says;
//   2. a key that is not known, or missing: the key, and the keys there are;
//   3. a value of another type or out of range: the key, what was given, and what is expected.
// Keys are named by their path, `device.memory_bytes_per_s`. Example, of `"common_work": 2`:
//   my.json: device.common_work: 2 given; expected a number above 0, at most 1
//
// No exceptions: the parser gives a value that says it is discarded, and the text is then read once
// more by `SyntaxCheck`, for the place and the reason.

#include "shardwise/planner/model/Machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace shardwise::planner {
namespace {

using Json = nlohmann::json;

/// Tells where a text stops being JSON, and reads nothing else.
struct SyntaxCheck : nlohmann::json_sax<Json> {
  size_t position = 0;
  std::string message;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(Json::number_integer_t) override { return true; }
  bool number_unsigned(Json::number_unsigned_t) override { return true; }
  bool number_float(Json::number_float_t, const std::string &) override { return true; }
  bool string(std::string &) override { return true; }
  bool binary(Json::binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(std::string &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t at, const std::string &token, const Json::exception &error) override {
    // `at` counts the characters up to the end of what is wrong, which is the end of `token`; its
    // begin is wanted. A string is all of the token. Anything else may have before it in `token`
    // what was read last: it begins behind the last blank or sign, `tru` in `{"a": tru`.
    bool isString = token.ends_with('"');
    size_t length = isString ? token.size() : 1;
    if (!isString && token.size() > token.find_last_of(" \t\r\n\",:[]{}") + 1)
      length = token.size() - token.find_last_of(" \t\r\n\",:[]{}") - 1;
    position = at >= length ? at - length + 1 : at;
    message = error.what();
    // `[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...`.
    if (size_t begin = message.find("syntax error"); begin != std::string::npos)
      message = message.substr(begin);
    else if (!token.empty())
      message = fmt::format("unexpected \"{}\"", token);
    return false;
  }
};

Error syntaxError(std::string_view text, std::string_view file) {
  SyntaxCheck check;
  Json::sax_parse(text, &check);
  // Counted from 1, so that what is before the wrong character is one less.
  std::string_view before =
      text.substr(0, std::min(text.size(), std::max<size_t>(check.position, 1) - 1));
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t lineStart = before.rfind('\n');
  size_t column = before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
  return invalid(fmt::format("{}:{}:{}: no JSON: {}", file, line, column, check.message));
}

class MachineReader {
public:
  explicit MachineReader(std::string_view file) : file(file) {}

  Result<Machine> read(const Json &json);

private:
  /// Reads the value of a key into a member that it refers to; the member outlives the call.
  using Read = std::function<Result<void>(const Json &value, const std::string &path)>;
  struct Key {
    std::string name;
    bool isRequired;
    Read read;
  };

  Error error(const std::string &path, const Json &given, std::string_view expected) const {
    return invalid(fmt::format("{}: {}: {} given; expected {}", file,
                               path.empty() ? "the file" : path, shortText(given), expected));
  }
  static std::string shortText(const Json &value) {
    constexpr size_t kLongest = 40;
    std::string text = value.dump();
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  }
  Result<void> readObject(const Json &json, const std::string &path, const std::vector<Key> &keys);
  Read number(double &into, bool mayBeZero) const;
  Read share(double &into) const;
  Read count(int64_t &into) const;
  Read text(std::string &into) const;
  Read link(Link &into);
  Read axisLinks(Machine &machine);
  Read device(DeviceSpeeds &speeds);
  Read flops(DeviceSpeeds &speeds) const;
  Read accesses(DeviceSpeeds &speeds);
  Read sources() const;

  std::string_view file;
};

// Missing keys first: a file that is something else is told what it lacks, and not that its first
// key is not known.
Result<void> MachineReader::readObject(const Json &json, const std::string &path,
                                       const std::vector<Key> &keys) {
  if (!json.is_object())
    return error(path, json, "an object in braces");
  std::string names;
  for (const Key &key : keys) {
    names += (names.empty() ? "" : ", ") + key.name;
    if (key.isRequired && !json.contains(key.name))
      return invalid(
          fmt::format("{}: {}{}{} is missing", file, path, path.empty() ? "" : ".", key.name));
  }
  for (const auto &[name, value] : json.items()) {
    std::string keyPath = path.empty() ? name : path + "." + name;
    auto key = std::find_if(keys.begin(), keys.end(),
                            [&, &name = name](const Key &other) { return other.name == name; });
    if (key == keys.end())
      return invalid(fmt::format("{}: {} is no key; expected one of {}", file, keyPath, names));
    if (Result<void> done = key->read(value, keyPath); !done)
      return done;
  }
  return {};
}

MachineReader::Read MachineReader::number(double &into, bool mayBeZero) const {
  return [this, &into, mayBeZero](const Json &value, const std::string &path) -> Result<void> {
    into = value.is_number() ? value.get<double>() : -1;
    if (!std::isfinite(into) || into < 0 || (into == 0 && !mayBeZero))
      return error(path, value, mayBeZero ? "a number of at least 0" : "a number above 0");
    return {};
  };
}

MachineReader::Read MachineReader::share(double &into) const {
  return [this, &into](const Json &value, const std::string &path) -> Result<void> {
    // Written so that a NaN is refused; -1 stands for what is no number.
    into = value.is_number() ? value.get<double>() : -1;
    if (!(into > 0 && into <= 1))
      return error(path, value, "a number above 0, at most 1");
    return {};
  };
}

MachineReader::Read MachineReader::count(int64_t &into) const {
  return [this, &into](const Json &value, const std::string &path) -> Result<void> {
    // 80e9 is a whole number, too. Up to 1e18 a double fits an int64_t with room for sums.
    double number = value.is_number() ? value.get<double>() : -1;
    constexpr double kLargest = 1e18;
    if (!(number >= 0 && number <= kLargest) || number != std::floor(number))
      return error(path, value, "a whole number of at least 0");
    into = static_cast<int64_t>(number);
    return {};
  };
}

MachineReader::Read MachineReader::text(std::string &into) const {
  return [this, &into](const Json &value, const std::string &path) -> Result<void> {
    if (!value.is_string())
      return error(path, value, "a string");
    into = value.get<std::string>();
    return {};
  };
}

MachineReader::Read MachineReader::link(Link &into) {
  return [this, &into](const Json &value, const std::string &path) -> Result<void> {
    return readObject(value, path,
                      {{"latency_s", true, number(into.latencySeconds, /*mayBeZero=*/true)},
                       {"bytes_per_s", true, number(into.bytesPerSecond, /*mayBeZero=*/false)}});
  };
}

MachineReader::Read MachineReader::axisLinks(Machine &machine) {
  return [this, &machine](const Json &value, const std::string &path) -> Result<void> {
    if (!value.is_object())
      return error(path, value, "an object of links by the name of a mesh axis");
    for (const auto &[name, axis] : value.items()) {
      machine.axisLinks.emplace_back(name, Link());
      if (Result<void> done = link(machine.axisLinks.back().second)(axis, path + "." + name); !done)
        return done;
    }
    return {};
  };
}

MachineReader::Read MachineReader::flops(DeviceSpeeds &speeds) const {
  return [this, &speeds](const Json &value, const std::string &path) -> Result<void> {
    if (!value.is_object() || value.empty())
      return error(path, value, "an object of rates by element type, as in {\"bf16\": 1e14}");
    for (const auto &[type, rate] : value.items()) {
      speeds.flopsPerSecond.emplace_back(type, 0);
      Result<void> done = number(speeds.flopsPerSecond.back().second,
                                 /*mayBeZero=*/false)(rate, path + "." + type);
      if (!done)
        return done;
    }
    return {};
  };
}

MachineReader::Read MachineReader::accesses(DeviceSpeeds &speeds) {
  return [this, &speeds](const Json &value, const std::string &path) -> Result<void> {
    std::vector<Key> keys;
    for (const auto &[access, name] : kAccesses)
      keys.push_back(
          {std::string(name), false, number(speeds.rateOf(access), /*mayBeZero=*/false)});
    return readObject(value, path, keys);
  };
}

MachineReader::Read MachineReader::device(DeviceSpeeds &speeds) {
  return [this, &speeds](const Json &value, const std::string &path) -> Result<void> {
    return readObject(
        value, path,
        {{"flops_per_s", true, flops(speeds)},
         {"vector_flops_per_s", true, number(speeds.vectorFlopsPerSecond, /*mayBeZero=*/false)},
         {"memory_bytes_per_s", true, number(speeds.memoryBytesPerSecond, /*mayBeZero=*/false)},
         {"access_bytes_per_s", false, accesses(speeds)},
         {"patch_run_s", false, number(speeds.patchRunSeconds, /*mayBeZero=*/true)},
         {"common_work", false, share(speeds.commonWorkShare)},
         {"memory_bytes", false, count(speeds.memoryBytes)}});
  };
}

/// For people, so any keys: where the figures are from.
MachineReader::Read MachineReader::sources() const {
  return [this](const Json &value, const std::string &path) -> Result<void> {
    bool areTexts =
        value.is_object() &&
        std::all_of(value.begin(), value.end(), [](const Json &text) { return text.is_string(); });
    return areTexts ? Result<void>() : error(path, value, "an object of strings");
  };
}

Result<Machine> MachineReader::read(const Json &json) {
  Machine machine;
  Result<void> done =
      readObject(json, "",
                 {{"name", false, text(machine.name)},
                  {"description", false, text(machine.description)},
                  {"link", true, link(machine.link)},
                  {"devices_per_host", false, count(machine.devicesPerHost)},
                  {"host_link", false, link(machine.hostLink)},
                  {"axis_links", false, axisLinks(machine)},
                  {"start_s", false, number(machine.startSeconds, /*mayBeZero=*/true)},
                  {"added_work", false, number(machine.addedWorkWeight, /*mayBeZero=*/true)},
                  {"device", true, device(machine.device)},
                  {"sources", false, sources()}});
  if (!done)
    return done.error();
  if (machine.devicesPerHost > 0 && !json.contains("host_link"))
    return invalid(fmt::format("{}: host_link is missing; expected the link between hosts, since "
                               "devices_per_host is {}",
                               file, machine.devicesPerHost));
  // All devices share a host then, but a report shows both links.
  if (!json.contains("host_link"))
    machine.hostLink = machine.link;
  if (machine.name.empty())
    machine.name = file;
  return machine;
}

nlohmann::ordered_json toJson(const Link &link) {
  return {{"latency_s", link.latencySeconds}, {"bytes_per_s", link.bytesPerSecond}};
}

} // namespace

// What is written is read back as the same machine. Keys whose value means "not known" or "none"
// are left out: a host link without hosts, say, would be a figure of nothing.
std::string machineText(const Machine &machine,
                        std::span<const std::pair<std::string, std::string>> sources) {
  nlohmann::ordered_json json = {
      {"name", machine.name}, {"description", machine.description}, {"link", toJson(machine.link)}};
  if (machine.devicesPerHost > 0) {
    json["devices_per_host"] = machine.devicesPerHost;
    json["host_link"] = toJson(machine.hostLink);
  }
  for (const auto &[name, link] : machine.axisLinks)
    json["axis_links"][name] = toJson(link);
  json["start_s"] = machine.startSeconds;
  json["added_work"] = machine.addedWorkWeight;
  nlohmann::ordered_json &device = json["device"];
  for (const auto &[type, rate] : machine.device.flopsPerSecond)
    device["flops_per_s"][type] = rate;
  device["vector_flops_per_s"] = machine.device.vectorFlopsPerSecond;
  device["memory_bytes_per_s"] = machine.device.memoryBytesPerSecond;
  for (const auto &[access, name] : kAccesses)
    if (machine.device.isApart(access))
      device["access_bytes_per_s"][name] = machine.device.rateOf(access);
  if (machine.device.patchRunSeconds > 0)
    device["patch_run_s"] = machine.device.patchRunSeconds;
  device["common_work"] = machine.device.commonWorkShare;
  if (machine.device.memoryBytes > 0)
    device["memory_bytes"] = machine.device.memoryBytes;
  for (const auto &[key, source] : sources)
    json["sources"][key] = source;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<Machine> parseMachine(std::string_view text, std::string_view file) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return syntaxError(text, file);
  return MachineReader(file).read(json);
}

} // namespace shardwise::planner
