#pragma once
/// \file
/// The tree of a parsed template. Plain data, immutable once parsed.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/text/jinja_lexer.h"

namespace lacuna::jinja {

enum class BinaryOp { Add, Subtract, Multiply, Divide, FloorDivide, Modulo, Power };
enum class CompareOp { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In, NotIn };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct NoneConstant {};
using Literal = std::variant<NoneConstant, bool, std::int64_t, double, std::string>;

/// One kind of node for all expressions; the comments say what `parts` holds.
struct Expr {
    enum class Kind {
        Constant,     ///< constant
        Name,         ///< name
        List,         ///< the elements; tuples too
        Dict,         ///< key, value, key, value ...
        Attribute,    ///< [object]; name
        Subscript,    ///< [object, index]
        Slice,        ///< [object, start, stop, step]; the last three may be null
        Call,         ///< [callee, arguments ...]; named
        Filter,       ///< [input, arguments ...]; name, named
        Test,         ///< [input, arguments ...]; name
        Negate,       ///< [x]
        Plus,         ///< [x]
        Not,          ///< [x]
        And,          ///< [a, b ...]
        Or,           ///< [a, b ...]
        Binary,       ///< [a, b]; binary
        Compare,      ///< [a, b, c ...]; compares, one fewer
        Concat,       ///< [a, b ...]
        Conditional,  ///< [value, condition, otherwise]; the last may be null
    };
    Kind kind = Kind::Constant;
    Place place;
    std::string name;
    Literal constant;
    BinaryOp binary = BinaryOp::Add;
    std::vector<CompareOp> compares;
    std::vector<ExprPtr> parts;
    std::vector<std::pair<std::string, ExprPtr>> named;
    int depth = 1;  ///< of the tree below
};

struct Statement;
using Block = std::vector<Statement>;

struct Branch {
    ExprPtr condition;  ///< null: else
    Block body;
};

struct Parameter {
    std::string name;
    ExprPtr fallback;  ///< null: none
};

struct Statement {
    enum class Kind {
        Data,      ///< text
        Output,    ///< value
        If,        ///< branches
        For,       ///< targets in value, where condition; body, otherwise
        Set,       ///< targets or targets[0].attribute = value
        SetBlock,  ///< targets[0] = what body writes
        Macro,     ///< text is its name; parameters, body
        Group,     ///< body: {% generation %}
        Break,
        Continue,
    };
    Kind kind = Kind::Data;
    Place place;
    std::string text;
    std::string attribute;
    std::vector<std::string> targets;
    ExprPtr value;
    ExprPtr condition;
    std::vector<Branch> branches;
    std::vector<Parameter> parameters;
    Block body;
    Block otherwise;
};

}  // namespace lacuna::jinja
