#pragma once
/// \file
/// The tree of a parsed template. Plain data, immutable once parsed.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/template/jinja_lexer.h"

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
        List,         ///< the elements
        Tuple,        ///< the elements
        Dict,         ///< key, value, key, value ...
        Attribute,    ///< [object]; name
        Subscript,    ///< [object, index]
        Slice,        ///< [object, start, stop, step]; the last three may be null
        Call,         ///< [callee, arguments ...]; named, spread, namedSpread
        Filter,       ///< [input, arguments ...]; as Call, and name
        Test,         ///< [input, arguments ...]; as Call, and name
        Body,         ///< what the block that the filters stand at has written
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
    ExprPtr spread;       ///< *list of more arguments, or null
    ExprPtr namedSpread;  ///< **dictionary of more named arguments, or null
    int depth = 1;        ///< of the tree below
};

struct Statement;
using Block = std::vector<Statement>;

struct Branch {
    ExprPtr condition;  ///< null: else
    Block body;
};

/// What an assignment writes to: a variable, or places for the parts of a list.
struct Target {
    std::string name;
    std::vector<Target> parts;  ///< not empty: the value is taken apart
};

struct Parameter {
    std::string name;
    ExprPtr fallback;  ///< null: none
};

struct Statement {
    enum class Kind {
        Data,       ///< text
        Output,     ///< value
        If,         ///< branches
        For,        ///< target in value, where condition; body, otherwise, recursive
        Set,        ///< target or target.attribute = value
        SetBlock,   ///< target or target.attribute = what body writes, after the filters of value
        Macro,      ///< text is its name; parameters, body
        CallBlock,  ///< value is a call; parameters and body make its `caller`
        With,       ///< assigned, each worth what stands around the block; body
        Filtered,   ///< value: filters over what body writes
        Do,         ///< value, not written
        Group,      ///< body: {% generation %}
        Break,
        Continue,
    };
    Kind kind = Kind::Data;
    Place place;
    std::string text;
    std::string attribute;
    Target target;
    ExprPtr value;
    ExprPtr condition;
    std::vector<Branch> branches;
    std::vector<Parameter> parameters;
    std::vector<std::pair<Target, ExprPtr>> assigned;
    Block body;
    Block otherwise;
    bool recursive = false;
    bool usesMore = false;    ///< of a macro: its body names `varargs`
    bool usesNamed = false;   ///< its body names `kwargs`
    bool usesCaller = false;  ///< its body names `caller`
};

}  // namespace lacuna::jinja
