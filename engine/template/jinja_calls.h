#pragma once
/// \file
/// Filters, tests, operators and methods of the template language, as functions from values to a
/// value. They do not know the surrounding template, so the evaluator adds the position to their
/// errors. Pure functions; may be called from many threads. Source: Jinja 3.1, built-in filters and
/// tests; the string methods of Python.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/template/jinja_value.h"

namespace lacuna::jinja {

/// Index for CallArgs::find of an argument without a position.
inline constexpr std::size_t kNamedOnly = static_cast<std::size_t>(-1);

struct CallArgs {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    WorkBudget* work = nullptr;  ///< budget charged by the callee
    /// Index of the first named argument that comes from a dictionary, whose keys may be message
    /// text.
    std::size_t firstSpread = static_cast<std::size_t>(-1);

    [[nodiscard]] bool empty() const { return positional.empty() && named.empty(); }
    /// Steps needed to walk each argument once.
    [[nodiscard]] std::uint64_t steps() const;
    /// Returns the name of a named argument as text.
    [[nodiscard]] Value nameAsText(std::size_t index) const {
        return Value::text(MarkedText(named[index].first, index < firstSpread
                                                              ? MarkedText::Source::Template
                                                              : MarkedText::Source::Message));
    }
    /// Finds an argument by position, then by name; null if it is not given.
    [[nodiscard]] const Value* find(std::size_t index, std::string_view name) const;
    /// Returns a text argument; nullopt if it is not given. Errors: TplRuntime if it is not a text.
    [[nodiscard]] Result<std::optional<MarkedText>> text(std::size_t index,
                                                         std::string_view name) const;
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::size_t index,
                                                              std::string_view name) const;
    /// Returns the truth value of the argument; `fallback` if it is not given.
    [[nodiscard]] bool flag(std::size_t index, std::string_view name, bool fallback) const;
};

/// @pre the parser accepted the name. Errors: TplRuntime, TplLimit, TplUnsupported.
[[nodiscard]] Result<Value> applyFilter(std::string_view name, const Value& input,
                                        const CallArgs& args);
[[nodiscard]] Result<bool> applyTest(std::string_view name, const Value& input,
                                     const CallArgs& args);

/// Errors: TplRuntime (unsupported operand types, division by zero, overflow), TplLimit,
/// TplUnsupported.
[[nodiscard]] Result<Value> applyBinary(BinaryOp op, const Value& a, const Value& b,
                                        WorkBudget* work);
[[nodiscard]] Result<bool> applyCompare(CompareOp op, const Value& a, const Value& b,
                                        WorkBudget* work);

/// Evaluates `object.name` and `object[key]`; the result is undefined if there is no such element.
/// Errors: TplRuntime if `object` is undefined.
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

/// Resolves a dotted path such as `a.b.0`, or an index. Errors: as elementOf.
[[nodiscard]] Result<Value> atPath(const Value& object, const Value& path, WorkBudget* work);

/// Classifies a method name for a value.
enum class MethodUse {
    None,
    Reads,
    Changes,  ///< would change the value, which templates are not allowed to do
};
[[nodiscard]] MethodUse methodOf(const Value& object, std::string_view name);
/// Errors: TplUnsupported for a method that is not implemented, TplRuntime, TplLimit.
[[nodiscard]] Result<Value> callMethod(const Value& object, std::string_view name,
                                       const CallArgs& args);

/// Returns all non-overlapping positions of a non-empty part; at most `limit`, or any number if it
/// is negative. findFirst and findLast return npos if there is none. Linear in the texts.
[[nodiscard]] std::vector<std::size_t> visibleIndices(std::string_view text, std::string_view part,
                                                      std::int64_t limit, WorkBudget* work);
[[nodiscard]] std::size_t findFirst(std::string_view text, std::string_view part,
                                    std::size_t from = 0);
[[nodiscard]] std::size_t findLast(std::string_view text, std::string_view part);

// --- text operations shared by filters and methods ---
enum class StripSide { Both, Left, Right };
/// Removes white space, or the given characters, from the ends.
[[nodiscard]] MarkedText stripped(const MarkedText& text, StripSide side,
                                  const std::optional<MarkedText>& characters, WorkBudget* work);
/// Replaces at most `limit` occurrences; all if it is negative. Errors: TplLimit.
[[nodiscard]] Result<MarkedText> replaced(const MarkedText& text, const MarkedText& from,
                                          const MarkedText& to, std::int64_t limit,
                                          WorkBudget* work);
enum class LetterCase { Upper, Lower, Title, Capital, Swapped };
[[nodiscard]] MarkedText inCase(const MarkedText& text, LetterCase letterCase, WorkBudget* work);
/// Escapes &, <, > and quotes as HTML entities.
[[nodiscard]] MarkedText escapedForHtml(const MarkedText& text);
/// Returns the text as markup if `like` is markup.
[[nodiscard]] Value textLike(const Value& like, MarkedText text);
/// Errors: TplRuntime for an element that has no text, TplLimit.
[[nodiscard]] Result<MarkedText> joinedText(const List& items, const MarkedText& separator,
                                            WorkBudget* work);
enum class LineEnds { Drop, Keep };
/// Splits at every line end known to Python. Errors: TplLimit over a million lines.
[[nodiscard]] Result<List> linesOf(const MarkedText& text, LineEnds ends, WorkBudget* work);
/// Splits at most `limit` times, without limit if it is negative; at white space if there is no
/// separator.
[[nodiscard]] Result<Value> splitFromLeft(const MarkedText& text,
                                          const std::optional<MarkedText>& separator,
                                          std::int64_t limit, WorkBudget* work);
[[nodiscard]] Result<Value> splitFromRight(const MarkedText& text,
                                           const std::optional<MarkedText>& separator,
                                           std::int64_t limit, WorkBudget* work);
/// Pads a text to a width in characters, with spaces or `fill`. Errors: TplLimit.
enum class Align { Left, Right, Center };
[[nodiscard]] Result<MarkedText> padded(const MarkedText& text, std::int64_t width, Align align,
                                        std::string_view fill = " ");
/// Calls a string method. Errors: as callMethod.
[[nodiscard]] Result<Value> callTextMethod(const MarkedText& text, std::string_view name,
                                           const CallArgs& args);

// --- formatting ---
/// Evaluates `pattern % args`. Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<Value> percentFormat(const MarkedText& pattern, const Value& args,
                                          WorkBudget* work);
/// Evaluates pattern.format(args). Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<Value> braceFormat(const MarkedText& pattern, const CallArgs& args);

// --- filters, by file; null if the name does not belong to the file ---
using Filter = Result<Value> (*)(const Value& input, const CallArgs& args);
[[nodiscard]] Filter textFilter(std::string_view name);
[[nodiscard]] Filter listFilter(std::string_view name);
[[nodiscard]] Filter orderFilter(std::string_view name);

}  // namespace lacuna::jinja
