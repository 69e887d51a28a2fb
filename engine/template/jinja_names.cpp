#include "engine/template/jinja_names.h"

#include <algorithm>
#include <array>

namespace lacuna::jinja {
namespace {

constexpr auto kFilters = std::to_array<std::string_view>(
    {"abs",      "batch",       "capitalize", "center",    "count",          "d",
     "default",  "dictsort",    "e",          "escape",    "filesizeformat", "first",
     "float",    "forceescape", "format",     "groupby",   "indent",         "int",
     "items",    "join",        "last",       "length",    "list",           "lower",
     "map",      "max",         "min",        "reject",    "rejectattr",     "replace",
     "reverse",  "round",       "safe",       "select",    "selectattr",     "slice",
     "sort",     "string",      "sum",        "title",     "tojson",         "trim",
     "truncate", "unique",      "upper",      "urlencode", "wordcount"});
constexpr auto kOtherFilters = std::to_array<std::string_view>(
    {"attr", "pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr"});
constexpr auto kTests = std::to_array<std::string_view>(
    {"!=",       "<",         "<=",          "==",          ">",        ">=",      "boolean",
     "callable", "defined",   "divisibleby", "eq",          "equalto",  "even",    "false",
     "filter",   "float",     "ge",          "greaterthan", "gt",       "in",      "integer",
     "iterable", "le",        "lessthan",    "lower",       "lt",       "mapping", "ne",
     "none",     "number",    "odd",         "sameas",      "sequence", "string",  "test",
     "true",     "undefined", "upper"});
constexpr auto kOtherTests = std::to_array<std::string_view>({"escaped"});
constexpr auto kTags = std::to_array<std::string_view>(
    {"autoescape", "block", "break", "call", "continue", "do", "extends", "filter", "for", "from",
     "generation", "if", "import", "include", "macro", "raw", "set", "trans", "with"});

template <class Names>
bool holds(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Known knownFilter(std::string_view name) {
    if (holds(kFilters, name)) return Known::Built;
    return holds(kOtherFilters, name) ? Known::NotBuilt : Known::Unknown;
}

Known knownTest(std::string_view name) {
    if (holds(kTests, name)) return Known::Built;
    return holds(kOtherTests, name) ? Known::NotBuilt : Known::Unknown;
}

bool isJinjaTag(std::string_view name) {
    return holds(kTags, name);
}

}  // namespace lacuna::jinja
