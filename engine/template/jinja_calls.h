#pragma once
/// \file
/// Filters, tests, operators and methods of the template language. Each gets values and gives a
/// value; none knows the template around it, so their errors carry no place: the evaluator adds it.
/// Pure functions; may be called from many threads. Source: Jinja 3.1, built-in filters and tests;
/// the string methods of Python.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/template/jinja_value.h"

namespace lacuna::jinja {

/// An index for CallArgs::find that no place has.
inline constexpr std::size_t kNamedOnly = static_cast<std::size_t>(-1);

struct CallArgs {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    WorkBudget* work = nullptr;  ///< spent by what is called
    /// Named arguments from here on come from a dictionary, whose keys may be of a message.
    std::size_t firstSpread = static_cast<std::size_t>(-1);

    [[nodiscard]] bool empty() const { return positional.empty() && named.empty(); }
    /// Steps of walking each argument once.
    [[nodiscard]] std::uint64_t steps() const;
    /// The name of a named argument as a text.
    [[nodiscard]] Value nameAsText(std::size_t index) const {
        return Value::text(MarkedText(named[index].first, index < firstSpread
                                                              ? MarkedText::Source::Template
                                                              : MarkedText::Source::Message));
    }
    /// By place, or else by name; null when not given.
    [[nodiscard]] const Value* find(std::size_t index, std::string_view name) const;
    /// The text argument. Errors: TplRuntime when it is given and is no text.
    [[nodiscard]] Result<std::optional<MarkedText>> text(std::size_t index,
                                                         std::string_view name) const;
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::size_t index,
                                                              std::string_view name) const;
    /// Whether the argument is given and true; `fallback` when it is not given.
    [[nodiscard]] bool flag(std::size_t index, std::string_view name, bool fallback) const;
};

/// @pre the parser knows the name. Errors: TplRuntime, TplLimit, TplUnsupported.
[[nodiscard]] Result<Value> applyFilter(std::string_view name, const Value& input,
                                        const CallArgs& args);
[[nodiscard]] Result<bool> applyTest(std::string_view name, const Value& input,
                                     const CallArgs& args);

/// Errors: TplRuntime (kinds that do not fit, division by zero, overflow), TplLimit,
/// TplUnsupported.
[[nodiscard]] Result<Value> applyBinary(BinaryOp op, const Value& a, const Value& b,
                                        WorkBudget* work);
[[nodiscard]] Result<bool> applyCompare(CompareOp op, const Value& a, const Value& b,
                                        WorkBudget* work);

/// `object.name` and `object[key]`: undefined where there is no such thing.
/// Errors: TplRuntime when `object` is undefined.
[[nodiscard]] Result<Value> attributeOf(const Value& object, std::string_view name);
[[nodiscard]] Result<Value> elementOf(const Value& object, const Value& key, WorkBudget* work);
/// Slice bounds are integers or none. Errors: TplRuntime.
struct SliceBounds {
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> stop;
    std::int64_t step = 1;
};
[[nodiscard]] Result<Value> sliceOf(const Value& object, const SliceBounds& bounds,
                                    WorkBudget* work);

/// What a dotted path such as `a.b.0`, or an index, leads to. Errors: as elementOf.
[[nodiscard]] Result<Value> atPath(const Value& object, const Value& path, WorkBudget* work);

/// Whether Python has a method of this name for the value.
enum class MethodUse {
    None,
    Reads,
    Changes,  ///< it would change the value, which no template may
};
[[nodiscard]] MethodUse methodOf(const Value& object, std::string_view name);
/// Errors: TplUnsupported for a method that is not built, TplRuntime, TplLimit.
[[nodiscard]] Result<Value> callMethod(const Value& object, std::string_view name,
                                       const CallArgs& args);

/// Where `part` first or last lies in `text`, from a byte on or up to it; npos: nowhere. Linear,
/// whatever the texts are.
/// All places of a part that is not empty, each after the end of the one before; at most `limit`,
/// any number when negative.
[[nodiscard]] std::vector<std::size_t> placesOf(std::string_view text, std::string_view part,
                                                std::int64_t limit, WorkBudget* work);
[[nodiscard]] std::size_t firstPlace(std::string_view text, std::string_view part,
                                     std::size_t from = 0);
[[nodiscard]] std::size_t lastPlace(std::string_view text, std::string_view part);

// --- text operations that filters and methods share ---
enum class StripSide { Both, Left, Right };
/// White space, or the given characters, taken off the ends.
[[nodiscard]] MarkedText stripped(const MarkedText& text, StripSide side,
                                  const std::optional<MarkedText>& characters, WorkBudget* work);
/// At most `limit` replacements; all when negative. Errors: TplLimit.
[[nodiscard]] Result<MarkedText> replaced(const MarkedText& text, const MarkedText& from,
                                          const MarkedText& to, std::int64_t limit,
                                          WorkBudget* work);
enum class LetterCase { Upper, Lower, Title, Capital, Swapped };
[[nodiscard]] MarkedText inCase(const MarkedText& text, LetterCase letterCase, WorkBudget* work);
/// &, <, > and quotes as HTML entities.
[[nodiscard]] MarkedText escapedForHtml(const MarkedText& text);
/// The text as markup when `like` is markup.
[[nodiscard]] Value textLike(const Value& like, MarkedText text);
/// Errors: TplRuntime for an element without text, TplLimit.
[[nodiscard]] Result<MarkedText> joinedText(const List& items, const MarkedText& separator,
                                            WorkBudget* work);
enum class LineEnds { Drop, Keep };
/// At every line end that Python knows. Errors: TplLimit over a million lines.
[[nodiscard]] Result<List> linesOf(const MarkedText& text, LineEnds ends, WorkBudget* work);
/// At most `limit` cuts, all when negative; at white space when there is no separator.
[[nodiscard]] Result<Value> splitFromLeft(const MarkedText& text,
                                          const std::optional<MarkedText>& separator,
                                          std::int64_t limit, WorkBudget* work);
[[nodiscard]] Result<Value> splitFromRight(const MarkedText& text,
                                           const std::optional<MarkedText>& separator,
                                           std::int64_t limit, WorkBudget* work);
/// Spaces (or `fill`) around a text up to a width in characters. Errors: TplLimit.
enum class Align { Left, Right, Center };
[[nodiscard]] Result<MarkedText> padded(const MarkedText& text, std::int64_t width, Align align,
                                        std::string_view fill = " ");
/// The method of a string. Errors: as callMethod.
[[nodiscard]] Result<Value> callTextMethod(const MarkedText& text, std::string_view name,
                                           const CallArgs& args);

// --- formatting ---
/// `pattern % args`. Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<Value> percentFormat(const MarkedText& pattern, const Value& args,
                                          WorkBudget* work);
/// pattern.format(args). Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<Value> braceFormat(const MarkedText& pattern, const CallArgs& args);

// --- filters, by file; null when the name is none of the file's ---
using Filter = Result<Value> (*)(const Value& input, const CallArgs& args);
[[nodiscard]] Filter textFilter(std::string_view name);
[[nodiscard]] Filter listFilter(std::string_view name);
[[nodiscard]] Filter orderFilter(std::string_view name);

}  // namespace lacuna::jinja
