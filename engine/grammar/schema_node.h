#pragma once
/// \file
/// A location in a JSON schema: keyword look-up with errors that name the location, and a check
/// that two schemas have no value in common, as oneOf requires. Internal to this module. A
/// SchemaNode holds a reference and is owned by one call.

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

/// Kinds of JSON values as bit flags.
enum SchemaType : unsigned {
    kNullType = 1,
    kBooleanType = 2,
    kIntegerType = 4,
    kFractionType = 8,  ///< numbers that are not integers
    kNumberType = 12,
    kStringType = 16,
    kArrayType = 32,
    kObjectType = 64,
    kAnyType = 127,
};

struct SchemaNode {
    const OrderedJson& schema;
    std::string path;  ///< "#/properties/name"

    [[nodiscard]] const OrderedJson* find(std::string_view keyword) const;
    [[nodiscard]] bool has(std::string_view keyword) const { return find(keyword) != nullptr; }
    [[nodiscard]] SchemaNode below(const OrderedJson& part, std::string_view step) const {
        return {part, path + "/" + std::string(step)};
    }
    /// Reads a count of at most `most`; returns `fallback` if the keyword is absent. Errors:
    /// InvalidArgument.
    [[nodiscard]] Result<std::int64_t> count(std::string_view keyword, std::int64_t fallback,
                                             std::int64_t most) const;
    /// Checks that no keyword except the given ones constrains values of `types`. Unknown keywords
    /// are annotations, as defined by 2020-12. Errors: Unsupported.
    [[nodiscard]] Status allow(std::initializer_list<std::string_view> keywords,
                               unsigned types = kAnyType) const;
    /// Returns true if the keyword is present and its value may exclude some values.
    [[nodiscard]] bool constrains(std::string_view keyword) const;
    [[nodiscard]] tl::unexpected<Error> unsupported(std::string_view what) const;
    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view what) const;
};

/// Returns the flags of a type name; 0 if unknown.
[[nodiscard]] unsigned typeNamed(std::string_view name);
[[nodiscard]] unsigned typeOf(const OrderedJson& value);
/// Returns the types allowed by `type`, or implied by other keywords; all types if there are none.
/// Errors: InvalidArgument.
[[nodiscard]] Result<unsigned> typesOf(const SchemaNode& place);
/// Returns the values of enum or const, in order; nullopt if neither is present.
[[nodiscard]] std::optional<std::vector<OrderedJson>> listedValues(const OrderedJson& schema);

/// Returns true if no value is valid under both schemas: they differ in types, listed values or a
/// required property. Returns false if this cannot be shown, or `work` runs out. `document`
/// resolves $ref.
[[nodiscard]] bool schemasApart(const OrderedJson& a, const OrderedJson& b,
                                const OrderedJson& document, WorkBudget& work);
/// Resolves `reference` ("#/..."); null if it does not exist. Percent-encoded bytes of the fragment
/// are decoded first. Source: RFC 6901, section 6.
[[nodiscard]] const OrderedJson* schemaAt(const OrderedJson& document, std::string_view reference,
                                          WorkBudget& work);

}  // namespace lacuna
