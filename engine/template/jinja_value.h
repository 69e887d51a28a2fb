#pragma once
/// \file
/// Values of the template language. Lists and dictionaries never change once made, so values share
/// them freely; only a namespace can be written to.
/// Owned by one thread.

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

/// What a list is in Python: each prints, compares and counts in its own way.
enum class ListKind {
    Plain,  ///< a list
    Tuple,
    Group,   ///< of groupby: a tuple with the names `grouper` and `list`
    Stream,  ///< of map, select ...: always true, without length or index
};

enum class Builtin { MakeRange, MakeNamespace, MakeDict, RaiseException, StrftimeNow };

/// A frame of the evaluator, and the number that tells it from a later one in the same place.
struct FrameRef {
    std::size_t index = 0;
    std::uint64_t id = 0;
};
/// A macro or the body of a call block, and the frame whose variables it sees.
struct MacroRef {
    const Statement* statement = nullptr;
    FrameRef frame;
};

struct Undefined {
    std::string name;  ///< for messages
};
struct None {};
/// The digits of a whole number beyond 64 bits, with its sign. It is written and compared, and any
/// calculation with it is an error.
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
    /// Text of the filters `safe` and `escape`: what is added to it is escaped first.
    [[nodiscard]] static Value markup(MarkedText text);
    [[nodiscard]] static Value list(List items, ListKind kind = ListKind::Plain);
    [[nodiscard]] static Value dict(Dict entries);
    [[nodiscard]] static Value loop(LoopState state);
    [[nodiscard]] static Value method(const Value& object, std::string_view name);

    [[nodiscard]] const Held& held() const { return held_; }
    [[nodiscard]] bool isUndefined() const { return std::holds_alternative<Undefined>(held_); }
    [[nodiscard]] bool isNone() const { return std::holds_alternative<None>(held_); }
    /// Null when the value is of another kind.
    [[nodiscard]] const MarkedText* asText() const;
    [[nodiscard]] const List* asList() const;
    [[nodiscard]] const Dict* asDict() const;
    /// An integer; no bool.
    [[nodiscard]] const std::int64_t* asInteger() const {
        return std::get_if<std::int64_t>(&held_);
    }
    /// The digits; null when the value is of another kind.
    [[nodiscard]] const std::string* asBigInteger() const {
        const BigInteger* big = std::get_if<BigInteger>(&held_);
        return big ? big->get() : nullptr;
    }
    [[nodiscard]] bool isMarkup() const { return markup_; }
    /// @pre asList()
    [[nodiscard]] ListKind listKind() const { return listKind_; }
    [[nodiscard]] bool isNumber() const;
    /// An integer of 64 bits or a bool, which counts as 0 or 1 as in Python.
    [[nodiscard]] bool isWhole() const;
    /// Of a number or bool; the nearest one of a big integer. @pre isNumber()
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
    ListKind listKind_ = ListKind::Plain;
    bool markup_ = false;
};

/// The variable `loop` of one iteration.
struct LoopState {
    std::shared_ptr<const List> items;
    std::size_t index = 0;                 ///< from 0
    int depth = 1;                         ///< of a recursive loop's calls
    int itemDepth = 0;                     ///< the deepest item's Value::depth()
    std::uint64_t id = 0;                  ///< the same for all rounds of one run of the loop
    const Statement* recursive = nullptr;  ///< the loop, when calling `loop` repeats it
    FrameRef frame;                        ///< the one around a recursive loop
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

/// Keys are texts, numbers, bools, none and tuples of them; 1, 1.0 and true are one key.
class Dict {
  public:
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// In the order of insertion.
    [[nodiscard]] const std::vector<DictEntry>& entries() const { return entries_; }
    /// Null when the key is absent.
    [[nodiscard]] const Value* find(const Value& key) const;
    [[nodiscard]] const Value* find(std::string_view key) const;
    /// Adds or replaces. Errors: TplRuntime for what cannot be a key.
    [[nodiscard]] Status set(Value key, Value value);
    /// The same for a text.
    void set(std::string_view key, Value value);

  private:
    void place(std::string spelling, Value key, Value value);
    std::vector<DictEntry> entries_;
    std::unordered_map<std::string, std::size_t> places_;  // by the key's spelling
};

// Whatever walks a value spends a step of `work` for each element or character, and for every 16
// bytes that are only copied or compared. Once the work is over it ends early: what it then gives
// is of no use, and the evaluator, which looks after each call, makes an error of it. Without
// `work` nothing is counted.

inline bool spend(WorkBudget* work, std::uint64_t steps = 1) {
    return work == nullptr || work->spend(steps);
}
/// Steps of copying or comparing so many bytes.
[[nodiscard]] inline std::uint64_t stepsOfBytes(std::size_t bytes) {
    return 1 + bytes / 16;
}
/// Steps of walking a value once, not what its elements hold.
[[nodiscard]] std::uint64_t stepsOf(const Value& value);

/// Equality as Python has it: 1 == 1.0 == True, lists by elements.
/// Errors: TplLimit after 100,000 elements compared.
[[nodiscard]] Result<bool> equal(const Value& a, const Value& b, WorkBudget* work);
/// -1, 0 or 1, for numbers, texts and lists of them. Errors: TplRuntime for other kinds, TplLimit.
[[nodiscard]] Result<int> ordered(const Value& a, const Value& b, WorkBudget* work);
/// Errors: TplLimit over 16 MiB.
[[nodiscard]] Status checkTextSize(std::size_t bytes);
/// What `{{ value }}` writes. Errors: TplRuntime for what has no text, TplLimit when nested too
/// deep.
[[nodiscard]] Result<MarkedText> toText(const Value& value, WorkBudget* work);
/// How Python shows a value inside a list. Errors: as toText.
[[nodiscard]] Result<MarkedText> toRepr(const Value& value, WorkBudget* work);
/// The elements of a list, the keys of a dictionary, the characters of a text.
/// Errors: TplRuntime for what cannot be walked.
[[nodiscard]] Result<Value::ListPtr> elements(const Value& value, WorkBudget* work);

struct JsonStyle {
    std::optional<MarkedText> indent;  ///< what one level is indented by; nothing: one line
    bool ascii = false;                ///< other characters as \u escapes
    bool sorted = false;               ///< by key
    std::optional<std::pair<MarkedText, MarkedText>> separators;  ///< ", " and ": " by default
};
/// JSON text as Python's json.dumps writes it. Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<MarkedText> toJson(const Value& value, const JsonStyle& style,
                                        WorkBudget* work);

}  // namespace lacuna::jinja
