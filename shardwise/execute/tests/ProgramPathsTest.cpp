// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole programs, hand-written and random: fusion, buffer reuse and control flow in all orders.

#include "shardwise/execute/tests/PathTesting.h"

namespace shardwise::execute {
namespace {

TEST(ProgramPathsTest, scanWithStackedOutputsAndCalls) {
  comparePaths(R"(
    func.func @main(%h: tensor<4xf32>, %w: tensor<4x4xf32>, %xs: tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<i32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<5> : tensor<i32>
      %z = stablehlo.constant dense<0.0> : tensor<5x4xf32>
      %0:3 = stablehlo.while(%i = %c, %s = %h, %ys = %z) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %x = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
        %x1 = stablehlo.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
        %t = func.call @step(%s, %w, %x1) : (tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %r = stablehlo.reshape %t : (tensor<4xf32>) -> tensor<1x4xf32>
        %ys1 = stablehlo.dynamic_update_slice %ys, %r, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %t, %ys1 : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
      }
      %again = func.call @step(%0#1, %w, %h) : (tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %again, %0#2, %0#0 : tensor<4xf32>, tensor<5x4xf32>, tensor<i32>
    }
    func.func private @step(%s: tensor<4xf32>, %w: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.dot_general %s, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      %1 = stablehlo.add %0, %x : tensor<4xf32>
      %c = stablehlo.constant dense<true> : tensor<i1>
      %2 = "stablehlo.if"(%c) ({
        %3 = stablehlo.tanh %1 : tensor<4xf32>
        stablehlo.return %3 : tensor<4xf32>
      }, {
        stablehlo.return %1 : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    })",
               1600, 100);
}

/// What is swapped is saved in between, for which there is no memory if nothing has elements.
TEST(ProgramPathsTest, loopsSwapStatesWithoutElements) {
  comparePaths(R"(
    func.func @main(%x: tensor<0xf32>, %y: tensor<0xf32>) -> (tensor<i32>, tensor<0xf32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %c3 = stablehlo.constant dense<3> : tensor<i32>
      %0:3 = stablehlo.while(%i = %c0, %a = %x, %b = %y) : tensor<i32>, tensor<0xf32>, tensor<0xf32>
      cond {
        %p = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %i1 = stablehlo.add %i, %c1 : tensor<i32>
        stablehlo.return %i1, %b, %a : tensor<i32>, tensor<0xf32>, tensor<0xf32>
      }
      return %0#0, %0#2 : tensor<i32>, tensor<0xf32>
    })",
               1650, 2);
}

TEST(ProgramPathsTest, nestedLoopsAndBranches) {
  comparePaths(R"(
    func.func @main(%x: tensor<6xf32>, %k: tensor<i32>) -> (tensor<6xf32>, tensor<6xf32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %c3 = stablehlo.constant dense<3> : tensor<i32>
      %half = stablehlo.constant dense<0.5> : tensor<6xf32>
      %y = stablehlo.multiply %x, %half : tensor<6xf32>
      %0:3 = stablehlo.while(%i = %c0, %a = %x, %b = %y) : tensor<i32>, tensor<6xf32>, tensor<6xf32>
      cond {
        %p = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %1:2 = stablehlo.while(%j = %c0, %d = %a) : tensor<i32>, tensor<6xf32>
        cond {
          %q = stablehlo.compare LT, %j, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %q : tensor<i1>
        } do {
          %e = stablehlo.add %d, %b : tensor<6xf32>
          %j1 = stablehlo.add %j, %c1 : tensor<i32>
          stablehlo.return %j1, %e : tensor<i32>, tensor<6xf32>
        }
        %f = "stablehlo.case"(%i) ({
          stablehlo.return %1#1 : tensor<6xf32>
        }, {
          %g = stablehlo.negate %a : tensor<6xf32>
          stablehlo.return %g : tensor<6xf32>
        }, {
          %g = stablehlo.add %y, %half : tensor<6xf32>
          stablehlo.return %g : tensor<6xf32>
        }) : (tensor<i32>) -> tensor<6xf32>
        %i1 = stablehlo.add %i, %c1 : tensor<i32>
        stablehlo.return %i1, %f, %1#1 : tensor<i32>, tensor<6xf32>, tensor<6xf32>
      }
      %h = stablehlo.subtract %0#1, %half : tensor<6xf32>
      return %h, %0#2 : tensor<6xf32>, tensor<6xf32>
    })",
               1700, 10);
}

/// Random straight-line programs over a few values: fusion and buffer reuse in all orders.
TEST(ProgramPathsTest, randomChainsOfSmallOps) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
    std::vector<std::string> squares = {"%x", "%y"};
    std::vector<std::string> rows = {"%r"};
    std::string body;
    const std::string s = "tensor<8x8xf32>";
    const std::string v = "tensor<8xf32>";
    for (int i = 0; i < 25; ++i) {
      std::string name = "%v" + std::to_string(i);
      std::string a = squares[pick(squares.size())];
      std::string b = squares[pick(squares.size())];
      std::string r = rows[pick(rows.size())];
      switch (pick(9)) {
      case 0:
        body += name + " = stablehlo.add " + a + ", " + b + " : " + s;
        break;
      case 1:
        body += name + " = stablehlo.minimum " + a + ", " + b + " : " + s;
        break;
      case 2:
        body += name + " = stablehlo.tanh " + a + " : " + s;
        break;
      case 3:
        body += name + " = stablehlo.transpose " + a + ", dims = [1, 0] : (" + s + ") -> " + s;
        break;
      case 4:
        body += name + " = stablehlo.broadcast_in_dim " + r + ", dims = [" +
                std::to_string(pick(2)) + "] : (" + v + ") -> " + s;
        break;
      case 5:
        body += name + " = stablehlo.reduce(" + a + " init: %z) applies stablehlo.maximum across " +
                "dimensions = [" + std::to_string(pick(2)) + "] : (" + s + ", tensor<f32>) -> " + v;
        rows.push_back(name);
        body += "\n";
        continue;
      case 6:
        body += name + " = stablehlo.negate " + r + " : " + v + "\n";
        rows.push_back(name);
        continue;
      case 7:
        body += name + "t = stablehlo.reshape " + a + " : (" + s + ") -> tensor<64xf32>\n" + name +
                " = stablehlo.reshape " + name + "t : (tensor<64xf32>) -> " + s;
        break;
      default:
        body += name + " = stablehlo.dynamic_update_slice " + a + ", %p, %i, %i : (" + s +
                ", tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> " + s;
        break;
      }
      body += "\n";
      squares.push_back(name);
    }
    std::string a = squares.back();
    std::string b = squares[pick(squares.size())];
    std::string r = rows.back();
    comparePaths(
        function("%x: " + s + ", %y: " + s + ", %r: " + v +
                     ", %p: tensor<3x3xf32>, %i: tensor<i32>, %z: tensor<f32>",
                 "(" + s + ", " + s + ", " + v + ")",
                 body + "return " + a + ", " + b + ", " + r + " : " + s + ", " + s + ", " + v),
        seed, 50);
    if (::testing::Test::HasFailure())
      return;
  }
}

/// Random loops and branches: states that are updated in place, swapped, handed on unchanged or
/// replaced by values from outside, in nested regions.
class RandomLoops {
public:
  explicit RandomLoops(unsigned seed) : random(seed) {}

  std::string program() {
    std::vector<std::string> values = {"%x", "%y"};
    std::string body = "%c0 = stablehlo.constant dense<0> : tensor<i32>\n"
                       "%c1 = stablehlo.constant dense<1> : tensor<i32>\n"
                       "%c3 = stablehlo.constant dense<3> : tensor<i32>\n"
                       "%half = stablehlo.constant dense<0.5> : " +
                       type + "\n";
    body += block(values, 8, 2);
    return function("%x: " + type + ", %y: " + type + ", %p: tensor<2x2xf32>, %i: tensor<i32>",
                    "(" + type + ", " + type + ")",
                    body + "return " + values.back() + ", " + pick(values) + " : " + type + ", " +
                        type);
  }

private:
  size_t number(size_t count) { return static_cast<size_t>(random() % count); }
  std::string pick(const std::vector<std::string> &values) { return values[number(values.size())]; }
  std::string fresh() { return "%v" + std::to_string(next++); }

  /// Appends ops that make new values from `values`.
  std::string block(std::vector<std::string> &values, int length, int depth) {
    std::string text;
    for (int i = 0; i < length; ++i) {
      std::string name = fresh();
      std::string a = pick(values);
      std::string b = pick(values);
      switch (number(depth > 0 ? 8 : 6)) {
      case 0:
        text += name + " = stablehlo.minimum " + a + ", " + b + " : " + type + "\n";
        break;
      case 1:
        text += name + " = stablehlo.tanh " + a + " : " + type + "\n";
        break;
      case 2:
        text += name + " = stablehlo.transpose " + a + ", dims = [1, 0] : (" + type + ") -> " +
                type + "\n";
        break;
      case 3:
        text += name + " = stablehlo.dynamic_update_slice " + a + ", %p, %i, %c1 : (" + type +
                ", tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> " + type + "\n";
        break;
      case 4:
        text += name + " = stablehlo.subtract " + a + ", " + b + " : " + type + "\n";
        break;
      case 5:
        text += name + " = stablehlo.multiply " + a + ", %half : " + type + "\n";
        break;
      case 6:
        text += loop(name, values, depth - 1);
        values.push_back(name + "#1");
        values.push_back(name + "#2");
        values.push_back(name + "#3");
        continue;
      default:
        text += branch(name, values, depth - 1);
        values.push_back(name + "#0");
        values.push_back(name + "#1");
        continue;
      }
      values.push_back(name);
    }
    return text;
  }

  std::string loop(const std::string &name, const std::vector<std::string> &outer, int depth) {
    std::string counter = fresh();
    std::vector<std::string> inner = outer;
    std::string states = counter + " = %c0";
    for (int i = 0; i < 3; ++i) {
      std::string state = fresh();
      states += ", " + state + " = " + pick(outer);
      inner.push_back(state);
    }
    std::string types = "tensor<i32>, " + type + ", " + type + ", " + type;
    std::string test = fresh();
    std::string after = fresh();
    std::string text = name + ":4 = stablehlo.while(" + states + ") : " + types + "\ncond {\n" +
                       test + " = stablehlo.compare LT, " + counter +
                       ", %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                       "stablehlo.return " +
                       test + " : tensor<i1>\n} do {\n";
    std::string body = block(inner, 5, depth);
    // States, new values and values from outside alike; recent ones more often.
    auto recent = [&] {
      return inner[inner.size() - 1 - number(std::min<size_t>(inner.size(), 8))];
    };
    text += body + after + " = stablehlo.add " + counter +
            ", %c1 : tensor<i32>\nstablehlo.return " + after + ", " + recent() + ", " + recent() +
            ", " + recent() + " : " + types + "\n}\n";
    return text;
  }

  std::string branch(const std::string &name, const std::vector<std::string> &outer, int depth) {
    std::string text = name + ":2 = \"stablehlo.case\"(%i) (";
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> inner = outer;
      std::string body = block(inner, 3, depth);
      text += std::string(i ? ", " : "") + "{\n" + body + "stablehlo.return " + inner.back() +
              ", " + pick(inner) + " : " + type + ", " + type + "\n}";
    }
    return text + ") : (tensor<i32>) -> (" + type + ", " + type + ")\n";
  }

  const std::string type = "tensor<4x4xf32>";
  std::mt19937 random;
  int next = 0;
};

TEST(ProgramPathsTest, randomLoopsAndBranches) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    comparePaths(RandomLoops(seed).program(), seed, 50);
    if (::testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace shardwise::execute
