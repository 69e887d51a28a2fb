#pragma once
/// \file
/// Syntax tree of a template. Plain data, immutable once parsed.

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

/// A node of any kind; the comments list the members used and the contents of `parts`.
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
        Body,         ///< the captured output of the block that the filters apply to
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
    int depth = 1;        ///< depth of this subtree
};

struct Statement;
using Block = std::vector<Statement>;

struct Branch {
    ExprPtr condition;  ///< null for else
    Block body;
};

/// Target of an assignment: a variable, or targets for the elements of a list.
struct Target {
    std::string name;
    std::vector<Target> parts;  ///< if not empty, the value is unpacked
};

struct Parameter {
    std::string name;
    ExprPtr fallback;  ///< default value, or null
};

struct Statement {
    enum class Kind {
        Data,       ///< text
        Output,     ///< value
        If,         ///< branches
        For,        ///< target in value, filtered by condition; body, otherwise, recursive
        Set,        ///< target or target.attribute = value
        SetBlock,   ///< target or target.attribute = output of body, passed through the filters of
                    ///< value
        Macro,      ///< text (the name), parameters, body
        CallBlock,  ///< value (a call); parameters and body form its `caller`
        With,       ///< assigned, evaluated in the enclosing scope; body
        Filtered,   ///< value (filters over the output of body)
        Do,         ///< value, evaluated without output
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
    bool usesMore = false;    ///< for a macro: its body uses `varargs`
    bool usesNamed = false;   ///< its body uses `kwargs`
    bool usesCaller = false;  ///< its body uses `caller`
};

}  // namespace lacuna::jinja
