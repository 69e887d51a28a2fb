#pragma once
/// \file
/// Values of the template language. Lists and dictionaries are immutable once created and shared
/// between values; only namespaces are mutable. Owned by one thread.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/marked_text.h"

namespace lacuna::jinja {

class Value;
class Dict;
struct LoopState;
struct BoundMethod;
using List = std::vector<Value>;
using Namespace = std::map<std::string, Value>;

/// Python type that a list represents; each prints, compares and counts differently.
enum class ListKind {
    Plain,  ///< a list
    Tuple,
    Group,   ///< result of groupby: a tuple with the names `grouper` and `list`
    Stream,  ///< result of map, select ...: always true, without length or index
};

enum class Builtin { MakeRange, MakeNamespace, MakeDict, RaiseException, StrftimeNow };

/// A frame of the evaluator, with an id that distinguishes it from a later one at the same index.
struct FrameRef {
    std::size_t index = 0;
    std::uint64_t id = 0;
};
/// A macro or the body of a call block, with the frame whose variables it sees.
struct MacroRef {
    const Statement* statement = nullptr;
    FrameRef frame;
};

struct Undefined {
    std::string name;  ///< used in error messages
};
struct None {};
/// Decimal digits and sign of an integer beyond 64 bits. It can be printed and compared; arithmetic
/// on it is an error.
using BigInteger = std::shared_ptr<const std::string>;

class Value {
  public:
    using TextPtr = std::shared_ptr<const MarkedText>;
    using ListPtr = std::shared_ptr<const List>;
    using DictPtr = std::shared_ptr<const Dict>;
    using NamespacePtr = std::shared_ptr<Namespace>;
    using LoopPtr = std::shared_ptr<const LoopState>;
    using MethodPtr = std::shared_ptr<const BoundMethod>;
    using Held =
        std::variant<Undefined, None, bool, std::int64_t, double, TextPtr, ListPtr, DictPtr,
                     NamespacePtr, LoopPtr, MacroRef, Builtin, MethodPtr, BigInteger>;

    Value() : held_(None{}) {}
    explicit Value(Held held) : held_(std::move(held)) {}
    [[nodiscard]] static Value undefined(std::string_view name) {
        return Value(Undefined{std::string(name)});
    }
    [[nodiscard]] static Value boolean(bool b) { return Value(Held(b)); }
    [[nodiscard]] static Value integer(std::int64_t i) { return Value(Held(i)); }
    [[nodiscard]] static Value bigInteger(std::string digits) {
        return Value(Held(std::make_shared<const std::string>(std::move(digits))));
    }
    [[nodiscard]] static Value number(double d) { return Value(Held(d)); }
    [[nodiscard]] static Value text(MarkedText text);
    [[nodiscard]] static Value text(std::string text) {
        return Value::text(MarkedText(std::move(text)));
    }
    /// Text produced by the filters `safe` and `escape`: text appended to it is escaped first.
    [[nodiscard]] static Value markup(MarkedText text);
    [[nodiscard]] static Value list(List items, ListKind kind = ListKind::Plain);
    [[nodiscard]] static Value dict(Dict entries);
    [[nodiscard]] static Value loop(LoopState state);
    [[nodiscard]] static Value method(const Value& object, std::string_view name);

    [[nodiscard]] const Held& held() const { return held_; }
    [[nodiscard]] bool isUndefined() const { return std::holds_alternative<Undefined>(held_); }
    [[nodiscard]] bool isNone() const { return std::holds_alternative<None>(held_); }
    /// Null if the value has another kind.
    [[nodiscard]] const MarkedText* asText() const;
    [[nodiscard]] const List* asList() const;
    [[nodiscard]] const Dict* asDict() const;
    /// Null unless the value is an integer; bools do not count.
    [[nodiscard]] const std::int64_t* asInteger() const {
        return std::get_if<std::int64_t>(&held_);
    }
    /// Returns the digits; null if the value has another kind.
    [[nodiscard]] const std::string* asBigInteger() const {
        const BigInteger* big = std::get_if<BigInteger>(&held_);
        return big ? big->get() : nullptr;
    }
    [[nodiscard]] bool isMarkup() const { return markup_; }
    /// @pre asList()
    [[nodiscard]] ListKind listKind() const { return listKind_; }
    [[nodiscard]] bool isNumber() const;
    /// True for a 64-bit integer or a bool, which counts as 0 or 1 as in Python.
    [[nodiscard]] bool isWhole() const;
    /// Value of a number or bool; the nearest double for a big integer. @pre isNumber()
    [[nodiscard]] double toDouble() const;
    [[nodiscard]] std::int64_t toInteger() const;

    [[nodiscard]] bool truthy() const;
    /// Returns "string", "list", ... for error messages.
    [[nodiscard]] std::string_view kindName() const;
    /// Nesting depth of lists and dictionaries; 0 for a scalar.
    [[nodiscard]] int depth() const { return depth_; }

  private:
    Held held_;
    int depth_ = 0;
    ListKind listKind_ = ListKind::Plain;
    bool markup_ = false;
};

/// The variable `loop` of one iteration.
struct LoopState {
    std::shared_ptr<const List> items;
    std::size_t index = 0;                 ///< from 0
    int depth = 1;                         ///< recursion depth of a recursive loop
    int itemDepth = 0;                     ///< largest Value::depth() of the items
    std::uint64_t id = 0;                  ///< shared by all rounds of one execution of the loop
    const Statement* recursive = nullptr;  ///< the loop statement if calling `loop` repeats it,
                                           ///< otherwise null
    FrameRef frame;                        ///< frame enclosing a recursive loop
};

/// `object.name` before it is called.
struct BoundMethod {
    Value object;
    std::string name;
};

struct DictEntry {
    Value key;
    Value value;
};

/// Keys are texts, numbers, bools, none and tuples of them; 1, 1.0 and true are the same key.
class Dict {
  public:
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// Entries in insertion order.
    [[nodiscard]] const std::vector<DictEntry>& entries() const { return entries_; }
    /// Null if the key is absent.
    [[nodiscard]] const Value* find(const Value& key) const;
    [[nodiscard]] const Value* find(std::string_view key) const;
    /// Adds or replaces an entry. Errors: TplRuntime if the key is not hashable.
    [[nodiscard]] Status set(Value key, Value value);
    /// Like the above, with a text key.
    void set(std::string_view key, Value value);

  private:
    void place(std::string spelling, Value key, Value value);
    std::vector<DictEntry> entries_;
    std::unordered_map<std::string, std::size_t> places_;  // by the serialised key
};

// Functions that walk a value charge `work` one step per element or character, and one per 16 bytes
// copied or compared. If the budget is exhausted, they return early with an unusable result; the
// evaluator checks after each call and reports the error. Without `work` nothing is counted.

inline bool spend(WorkBudget* work, std::uint64_t steps = 1) {
    return work == nullptr || work->spend(steps);
}
/// Steps for copying or comparing this many bytes.
[[nodiscard]] inline std::uint64_t stepsOfBytes(std::size_t bytes) {
    return 1 + bytes / 16;
}
/// Steps for walking a value once, excluding the contents of its elements.
[[nodiscard]] std::uint64_t stepsOf(const Value& value);

/// Python equality: 1 == 1.0 == True, lists by elements. Errors: TplLimit after comparing 100,000
/// elements.
[[nodiscard]] Result<bool> equal(const Value& a, const Value& b, WorkBudget* work);
/// Returns -1, 0 or 1 for numbers, texts and lists of them. Errors: TplRuntime for other kinds,
/// TplLimit.
[[nodiscard]] Result<int> ordered(const Value& a, const Value& b, WorkBudget* work);
/// Errors: TplLimit over 16 MiB.
[[nodiscard]] Status checkTextSize(std::size_t bytes);
/// Returns the text that `{{ value }}` outputs. Errors: TplRuntime for a value without text,
/// TplLimit if it is nested too deeply.
[[nodiscard]] Result<MarkedText> toText(const Value& value, WorkBudget* work);
/// Returns Python's repr() of the value. Errors: as toText.
[[nodiscard]] Result<MarkedText> toRepr(const Value& value, WorkBudget* work);
/// Returns the elements of a list, the keys of a dictionary or the characters of a text. Errors:
/// TplRuntime if the value is not iterable.
[[nodiscard]] Result<Value::ListPtr> elements(const Value& value, WorkBudget* work);

struct JsonStyle {
    std::optional<MarkedText> indent;  ///< indentation per level; nullopt: output on one line
    bool ascii = false;                ///< escape other characters as \u
    bool sorted = false;               ///< sort dictionaries by key
    std::optional<std::pair<MarkedText, MarkedText>> separators;  ///< ", " and ": " by default
};
/// Returns JSON text in the format of Python's json.dumps. Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<MarkedText> toJson(const Value& value, const JsonStyle& style,
                                        WorkBudget* work);

}  // namespace lacuna::jinja
