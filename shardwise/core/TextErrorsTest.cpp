// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the grammar accepts besides the printed form, and what it rejects where.

#include "shardwise/core/StringTokenSource.h"
#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

template <class T> std::string errorOf(const Result<T> &result) {
  return result ? std::string("accepted") : result.error().message;
}

#define EXPECT_MENTIONS(message, fragment)                                                         \
  EXPECT_NE((message).find(fragment), std::string::npos) << (message)

#define EXPECT_REJECTED(parser, text, fragment) EXPECT_MENTIONS(errorOf(parser(text)), fragment)

/// The printed form of a sharding written in another way.
std::string reprinted(const std::string &text) {
  Result<WrittenSharding> sharding = parseSharding(text);
  return sharding ? toString(*sharding) : sharding.error().message;
}

TEST(TextErrorsTest, otherSpellingsOfShardings) {
  EXPECT_EQ(reprinted(R"( [ { "x" , ? } p1 ,{}] )"), R"([{"x", ?}p1, {}])");
  EXPECT_EQ(reprinted(R"(<[{"x"}]>)"), R"([{"x"}])");
  EXPECT_EQ(reprinted(R"([{}], unreduced={"z"}, replicated={"x"})"),
            R"([{}], replicated={"x"}, unreduced={"z"})");
  EXPECT_EQ(reprinted(R"([{}], unreduced=sum{"z"})"), R"([{}], unreduced={"z"})");
  EXPECT_EQ(reprinted(R"([{}], unreduced{"z"})"), R"([{}], unreduced={"z"})");
  EXPECT_EQ(reprinted(R"([{}], unreduced=max{"z"})"), R"([{}], unreduced=max{"z"})");
  EXPECT_EQ(reprinted(R"([{}], unreduced=min{"z"})"), R"([{}], unreduced=min{"z"})");
  EXPECT_EQ(reprinted(R"([{?}p0])"), R"([{?}p0])");
  EXPECT_EQ(reprinted(R"([{"x":( 1 )2}])"), R"([{"x":(1)2}])");
}

TEST(TextErrorsTest, quotesThatAShellTookAway) {
  EXPECT_EQ(reprinted("[{x, y_1:(1)2, ?}p1, {}], replicated={data.2}, unreduced=max{z}"),
            R"([{"x", "y_1":(1)2, ?}p1, {}], replicated={"data.2"}, unreduced=max{"z"})");
  EXPECT_EQ(toString(parseMesh("[a=2, b=3], device_ids=[1, 0, 2, 3, 4, 5]").value()),
            R"(["a"=2, "b"=3], device_ids=[1, 0, 2, 3, 4, 5])");
}

TEST(TextErrorsTest, sizesOfAxes) {
  EXPECT_EQ(toString(parseMesh("data=8, tensor=4").value()), R"(["data"=8, "tensor"=4])");
  EXPECT_EQ(toString(parseMesh(R"("a b"=2)").value()), R"(["a b"=2])");
  EXPECT_REJECTED(parseMesh, "x", "expected \"=\", found end of text");
  EXPECT_REJECTED(parseMesh, "x=", "expected an integer");
  EXPECT_REJECTED(parseMesh, "x=2,", "expected a name");
  EXPECT_REJECTED(parseMesh, "x=2 y=3", "expected end of text");
  EXPECT_REJECTED(parseMesh, "x=2, x=3", "duplicate axis name");
  EXPECT_REJECTED(parseMesh, "x=0", "must be at least 1");
}

TEST(TextErrorsTest, dimensions) {
  EXPECT_REJECTED(parseSharding, R"([{"x" ?}])", "column 7: expected \"}\", found \"?\"");
  EXPECT_REJECTED(parseSharding, R"([{?, "x"}])", "column 4: expected \"}\", found \",\"");
  EXPECT_REJECTED(parseSharding, R"([{,?}])", "column 3: expected a name, found \",\"");
  EXPECT_REJECTED(parseSharding, R"([{"x",}])", "column 7: expected a name");
  EXPECT_REJECTED(parseSharding, R"([{2}])", "expected a name, found \"2\"");
  EXPECT_REJECTED(parseSharding, R"([{"x"])", "expected \"}\", found \"]\"");
  EXPECT_REJECTED(parseSharding, R"([{"x"},])", "column 8: expected \"{\", found \"]\"");
  EXPECT_REJECTED(parseSharding, R"({"x"})", "column 1: expected \"[\", found \"{\"");
  EXPECT_REJECTED(parseSharding, "", "column 1: expected \"[\", found end of text");
}

TEST(TextErrorsTest, priorities) {
  EXPECT_REJECTED(parseSharding, "[{?}p]", "p<number>");
  EXPECT_REJECTED(parseSharding, "[{?}px1]", "got: 'px1'");
  EXPECT_REJECTED(parseSharding, "[{?}q1]", "got: 'q1'");
  EXPECT_REJECTED(parseSharding, "[{?}p01]", "leading zeros");
  EXPECT_REJECTED(parseSharding, "[{?}p00]", "leading zeros");
  EXPECT_REJECTED(parseSharding, "[{?}p9223372036854775808]", "expecting integer priority");
  EXPECT_EQ(reprinted("[{?}p9223372036854775807]"), "[{?}p9223372036854775807]");
}

TEST(TextErrorsTest, replicatedAndUnreduced) {
  EXPECT_REJECTED(parseSharding, "[], replicated={}", "column 17: expected a name");
  EXPECT_REJECTED(parseSharding, "[], unreduced={}", "expected a name");
  EXPECT_REJECTED(parseSharding, R"([], replicated{"x"})", "expected \"=\", found \"{\"");
  EXPECT_REJECTED(parseSharding, R"([], unreduced=prod{"x"})", "expected \"{\", found \"prod\"");
  EXPECT_REJECTED(parseSharding, R"([], unreduced max{"x"})", "expected \"{\", found \"max\"");
  EXPECT_REJECTED(parseSharding, "[],", "valid named axis list");
  EXPECT_REJECTED(parseSharding, "[], other={}", "column 5: expected a valid named axis list");
  EXPECT_REJECTED(parseSharding, R"([], replicated={"x"}, replicated={"y"})",
                  "valid named axis list");
  EXPECT_REJECTED(parseSharding, R"([], unreduced={"x"}, unreduced={"y"})",
                  "valid named axis list");
  EXPECT_REJECTED(parseSharding, R"(<[], >)", "valid named axis list");
}

TEST(TextErrorsTest, wholeText) {
  EXPECT_REJECTED(parseSharding, "[] []", "column 4: expected end of text, found \"[\"");
  EXPECT_REJECTED(parseSharding, "<[]", "expected \">\", found end of text");
  EXPECT_REJECTED(parseAxisRef, R"("x":2)", "expected \"(\", found \"2\"");
  EXPECT_REJECTED(parseAxisRef, R"("x":(2))", "expected an integer, found end of text");
  EXPECT_REJECTED(parseAxisRef, R"("x":(a)2)", "expected an integer, found \"a\"");
  EXPECT_REJECTED(parseAxisRef, R"("x":(9223372036854775808)2)", "does not fit 64 bits");
  EXPECT_EQ(toString(parseAxisRef(R"("x":(-1)2)").value()), R"("x":(-1)2)");
}

TEST(TextErrorsTest, strings) {
  EXPECT_EQ(parseAxisRef(R"("a\"b\\c\n\t\41")").value().name, "a\"b\\c\n\tA");
  EXPECT_EQ(toString(AxisRef{"a\"b\\c\n\xC3", std::nullopt}), R"("a\22b\\c\0A\C3")");
  EXPECT_REJECTED(parseAxisRef, R"("x)", "without closing quote");
  EXPECT_REJECTED(parseAxisRef, R"("x\q")", "unknown escape");
  EXPECT_REJECTED(parseAxisRef, "\"x\\", "escape");
}

TEST(TextErrorsTest, axisLists) {
  auto errorOfList = [](const std::string &text) {
    StringTokenSource source(text);
    std::vector<AxisRef> axes;
    return parseAxisRefList(source, axes) ? toString(axes) : source.firstError();
  };
  EXPECT_EQ(errorOfList("{}"), "{}");
  EXPECT_EQ(errorOfList(R"({ "x", "y":(1)2 })"), R"({"x", "y":(1)2})");
  EXPECT_MENTIONS(errorOfList("[]"), "expected \"{\"");
}

TEST(TextErrorsTest, meshes) {
  EXPECT_EQ(toString(parseMesh(R"(<["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>)").value()),
            R"(["a"=2, "b"=2])");
  EXPECT_EQ(toString(parseMesh("[], device_ids=[5]").value()), "[], device_ids=[5]");
  EXPECT_EQ(parseMesh("[]").value(), Mesh());
  EXPECT_REJECTED(parseMesh, R"(["a"=2], device_ids=[])", "expected an integer, found \"]\"");
  EXPECT_REJECTED(parseMesh, R"(["a"=2,])", "expected a name, found \"]\"");
  EXPECT_REJECTED(parseMesh, R"(["a"])", "expected \"=\"");
  EXPECT_REJECTED(parseMesh, "2x3", "column 1: expected a mesh, as in x=2,y=3 or");
  EXPECT_REJECTED(parseMesh, R"(["a"=2], ids=[0, 1])", "expected device_ids");
  EXPECT_REJECTED(parseMesh, R"(["a"=0])", "must be at least 1");
  EXPECT_REJECTED(parseMesh, R"(["a"=2, "a"=2])", "duplicate axis name");
}

TEST(TextErrorsTest, factorSymbols) {
  EXPECT_EQ(factorSymbol(0), "i");
  EXPECT_EQ(factorSymbol(17), "z");
  EXPECT_EQ(factorSymbol(18), "z_1");
  // z_ always starts a numbered symbol.
  EXPECT_EQ(parseShardingRule("([zz_1])->([z_8z_9, z_2i])").value().operands,
            (std::vector<TensorMapping>{{{17, 18}}}));
  EXPECT_EQ(parseShardingRule("([zz_1])->([z_8z_9, z_2i])").value().results,
            (std::vector<TensorMapping>{{{25, 26}, {19, 0}}}));
  EXPECT_REJECTED(parseShardingRule, "([ia])->([i])", "from 'i' to 'z'. Received: 'a'");
  EXPECT_REJECTED(parseShardingRule, "([i_1])->([i])", "Received: '_'");
  EXPECT_REJECTED(parseShardingRule, "([z_])->([i])", "integer after 'z_'");
  EXPECT_REJECTED(parseShardingRule, "([z_i])->([i])", "integer after 'z_'");
  EXPECT_REJECTED(parseShardingRule, "([z_0])->([i])", "without leading zeros");
  EXPECT_REJECTED(parseShardingRule, "([z_01])->([i])", "without leading zeros");
  EXPECT_REJECTED(parseShardingRule, "([z_9223372036854775808])->([i])", "symbol index too large");
  EXPECT_REJECTED(parseShardingRule, "([z_9223372036854775807])->([i])", "symbol index too large");
}

TEST(TextErrorsTest, shardingRules) {
  EXPECT_EQ(toString(parseShardingRule("<([i ,k], [ ])->([i]) { } reduction = {}>").value()),
            "([i, k], [])->([i])");
  EXPECT_EQ(parseShardingRule("([i,])->([])").value().operands,
            (std::vector<TensorMapping>{{{0}, {}}}));
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {j=2}", "like an iota");
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {j=2}", "Expected 'i', received: 'j'");
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {i=2, k=2}", "like an iota");
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {ij=4}", "expecting single factor symbol");
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {i=x}", "expected an integer");
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {i=2} reduction={ij}",
                  "expecting single factor symbol");
  EXPECT_REJECTED(parseShardingRule, "([i])->([i]) {i=2}, other", "expected 'custom'");
  EXPECT_REJECTED(parseShardingRule, "<([i])->([i]) {i=2} other={i}>", "expected \">\"");
  EXPECT_REJECTED(parseShardingRule, "<([i])->([i]) {i=2} permutation={i} reduction={i}>",
                  "expected \">\", found \"reduction\"");
  EXPECT_REJECTED(parseShardingRule, "()->([i]) {i=2}", "column 2: expected \"[\", found \")\"");
  EXPECT_REJECTED(parseShardingRule, "([i])->() {i=2}", "expected \"[\"");
  EXPECT_REJECTED(parseShardingRule, "([i j])->([i]) {i=2}", "expected \"]\", found \"j\"");
  EXPECT_REJECTED(parseShardingRule, "([*])->([i]) {i=2}", "expected \"]\", found \"*\"");
  EXPECT_REJECTED(parseShardingRule, "([i]) ([i])", "expected \"->\"");
}

} // namespace
} // namespace shardwise::core
