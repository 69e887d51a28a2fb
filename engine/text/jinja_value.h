#pragma once
/// \file
/// Values of the template language. Lists and dictionaries never change once made, so values share
/// them freely; only a namespace can be written to.
/// Owned by one thread.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/jinja_ast.h"
#include "engine/text/marked_text.h"

namespace lacuna::jinja {

class Value;
struct DictEntry;
using List = std::vector<Value>;
using Dict = std::vector<DictEntry>;  ///< in the order of insertion, keys apart
using Namespace = std::map<std::string, Value>;

/// The variable `loop` of one iteration.
struct LoopState {
    std::shared_ptr<const List> items;
    std::size_t index = 0;  ///< from 0
    int depth = 1;          ///< of loops around each other
    int itemDepth = 0;      ///< the deepest item's Value::depth()
};

enum class Builtin { MakeRange, MakeNamespace, MakeDict, RaiseException, StrftimeNow };

struct Undefined {
    std::string name;  ///< for messages
};
struct None {};

class Value {
  public:
    using TextPtr = std::shared_ptr<const MarkedText>;
    using ListPtr = std::shared_ptr<const List>;
    using DictPtr = std::shared_ptr<const Dict>;
    using NamespacePtr = std::shared_ptr<Namespace>;
    using LoopPtr = std::shared_ptr<const LoopState>;
    using MacroPtr = const Statement*;
    using Held = std::variant<Undefined, None, bool, std::int64_t, double, TextPtr, ListPtr,
                              DictPtr, NamespacePtr, LoopPtr, MacroPtr, Builtin>;

    Value() : held_(None{}) {}
    explicit Value(Held held) : held_(std::move(held)) {}
    [[nodiscard]] static Value undefined(std::string_view name) {
        return Value(Undefined{std::string(name)});
    }
    [[nodiscard]] static Value boolean(bool b) { return Value(Held(b)); }
    [[nodiscard]] static Value integer(std::int64_t i) { return Value(Held(i)); }
    [[nodiscard]] static Value number(double d) { return Value(Held(d)); }
    [[nodiscard]] static Value text(MarkedText text);
    [[nodiscard]] static Value text(std::string text) {
        return Value::text(MarkedText(std::move(text)));
    }
    [[nodiscard]] static Value list(List items);
    [[nodiscard]] static Value dict(Dict entries);
    [[nodiscard]] static Value loop(LoopState state);

    [[nodiscard]] const Held& held() const { return held_; }
    [[nodiscard]] bool isUndefined() const { return std::holds_alternative<Undefined>(held_); }
    [[nodiscard]] bool isNone() const { return std::holds_alternative<None>(held_); }
    /// Null when the value is of another kind.
    [[nodiscard]] const MarkedText* asText() const;
    [[nodiscard]] const List* asList() const;
    [[nodiscard]] const Dict* asDict() const;
    /// An integer; bool counts as 0 or 1, as in Python.
    [[nodiscard]] const std::int64_t* asInteger() const {
        return std::get_if<std::int64_t>(&held_);
    }
    [[nodiscard]] bool isNumber() const;
    /// Of a number or bool. @pre isNumber()
    [[nodiscard]] double toDouble() const;
    [[nodiscard]] std::int64_t toInteger() const;

    [[nodiscard]] bool truthy() const;
    /// "string", "list", ...: for messages.
    [[nodiscard]] std::string_view kindName() const;
    /// How deep lists and dictionaries lie inside each other; 0 for a plain value.
    [[nodiscard]] int depth() const { return depth_; }

  private:
    Held held_;
    int depth_ = 0;
};

struct DictEntry {
    MarkedText key;
    Value value;
};

/// Null when the key is absent.
[[nodiscard]] const Value* findKey(const Dict& dict, std::string_view key);
/// Equality as Python has it: 1 == 1.0 == True, lists by elements.
/// Errors: TplLimit after 100,000 elements compared.
[[nodiscard]] Result<bool> equal(const Value& a, const Value& b);
/// Errors: TplLimit over 16 MiB.
[[nodiscard]] Status checkTextSize(std::size_t bytes);
/// What `{{ value }}` writes. Errors: TplRuntime for what has no text, TplLimit when nested too
/// deep.
[[nodiscard]] Result<MarkedText> toText(const Value& value);
/// The elements of a list, the keys of a dictionary, the characters of a text.
/// Errors: TplRuntime for what cannot be walked.
[[nodiscard]] Result<Value::ListPtr> elements(const Value& value);

struct JsonStyle {
    int indent = -1;  ///< -1: one line, with ", " and ": "
};
/// JSON text, non-ASCII characters as they are. Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<MarkedText> toJson(const Value& value, JsonStyle style);

}  // namespace lacuna::jinja
