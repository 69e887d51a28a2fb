#pragma once
/// \file
/// A place in a schema and what is said about it: keyword look-up with the errors that name it; and
/// whether two schemas can be shown to share no value, which oneOf needs. Internal to this room. A
/// place holds a reference; owned by one call.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/work_budget.h"

namespace lacuna {

/// Kinds of JSON values as bits.
enum SchemaType : unsigned {
    kNullType = 1,
    kBooleanType = 2,
    kIntegerType = 4,
    kFractionType = 8,  ///< numbers that are no integers
    kNumberType = 12,
    kStringType = 16,
    kArrayType = 32,
    kObjectType = 64,
    kAnyType = 127,
};

struct SchemaPlace {
    const OrderedJson& schema;
    std::string path;  ///< "#/properties/name"

    [[nodiscard]] const OrderedJson* find(std::string_view keyword) const;
    [[nodiscard]] bool has(std::string_view keyword) const { return find(keyword) != nullptr; }
    [[nodiscard]] SchemaPlace below(const OrderedJson& part, std::string_view step) const {
        return {part, path + "/" + std::string(step)};
    }
    /// A count of at most `most`; `fallback` when the keyword is absent. Errors: InvalidArgument.
    [[nodiscard]] Result<std::int64_t> count(std::string_view keyword, std::int64_t fallback,
                                             std::int64_t most) const;
    /// Errors: Unsupported when a keyword stands here that is none of these and that constrains
    /// values of `types`. Keywords that no vocabulary knows are annotations, as 2020-12 says.
    [[nodiscard]] Status allow(std::initializer_list<std::string_view> keywords,
                               unsigned types = kAnyType) const;
    /// Whether the keyword stands here with a value that may exclude some.
    [[nodiscard]] bool constrains(std::string_view keyword) const;
    [[nodiscard]] tl::unexpected<Error> unsupported(std::string_view what) const;
    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view what) const;
};

/// Bits of one type's name; 0 when it is none.
[[nodiscard]] unsigned typeNamed(std::string_view name);
[[nodiscard]] unsigned typeOf(const OrderedJson& value);
/// What `type` allows, or what the other keywords say about it; every type when nothing does.
/// Errors: InvalidArgument.
[[nodiscard]] Result<unsigned> typesOf(const SchemaPlace& place);
/// The values of enum or const, in order; nothing when neither stands here.
[[nodiscard]] std::optional<std::vector<OrderedJson>> listedValues(const OrderedJson& schema);

/// True when no value is valid under both: types, listed values or a property that one of them
/// requires keep them apart. False when that is not seen, or `work` was over before. `document`
/// resolves $ref.
[[nodiscard]] bool schemasApart(const OrderedJson& a, const OrderedJson& b,
                                const OrderedJson& document, WorkBudget& work);
/// What `reference` ("#/...") names, or null. Source: RFC 6901, section 6: percent-encoded bytes of
/// the fragment are decoded before the pointer is read.
[[nodiscard]] const OrderedJson* schemaAt(const OrderedJson& document, std::string_view reference,
                                          WorkBudget& work);

}  // namespace lacuna
