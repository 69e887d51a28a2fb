#pragma once
/// \file
/// Describes a record as a table of its fields, from which its JSON object, the parser for it, and
/// its CSV row are derived. Each value is written and read according to its type: a type with a
/// field table is an object, an optional one may be null. Internal to this module. Pure functions.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/values/value_keys.h"

namespace lacuna {

/// Report versions that contain a field; in other reports it has its default.
struct FieldPresence {
    int since = 1;  ///< first version of the report
    /// Set for a field added within a version: the field is present exactly if this other member
    /// is.
    std::string_view with = {};
};

/// Position of a field in the CSV table.
enum class Column {
    InPlace,  ///< at its position in the field order
    Last,     ///< behind all other columns
    None
};

/// A field of a record. Units are part of the name: "_ms", "_seconds", "_bytes"; otherwise it is a
/// count.
template <class Record>
struct Field {
    std::string_view name;  ///< name of the JSON member and of the column
    OrderedJson (*get)(const Record&) = nullptr;
    void (*set)(Record&, const LocatedValue&) = nullptr;  ///< null for a field that is only a
                                                          ///< column
    FieldPresence presence = {};
    Column column = Column::InPlace;
    bool (*stands)(const Record&) = nullptr;  ///< decides whether the member is written; null
                                              ///< writes it always
};

/// The fields of a record type. Specialisations are declared in report_fields.h.
template <class Record>
[[nodiscard]] std::span<const Field<Record>> fieldsOf() = delete;
template <class T>
concept Tabled = requires {
    fieldsOf<T>();
};

// ---------------------------------------------------------------- values by their type

[[nodiscard]] inline OrderedJson written(bool value) {
    return value;
}
[[nodiscard]] inline OrderedJson written(std::integral auto value) {
    return value;
}
[[nodiscard]] inline OrderedJson written(double value) {
    return value;
}
[[nodiscard]] inline OrderedJson written(const std::string& value) {
    return value;
}
template <class Tag, class Rep>
[[nodiscard]] OrderedJson written(StrongId<Tag, Rep> value) {
    return value.value;
}
template <class Enum>
requires std::is_enum_v<Enum>
[[nodiscard]] OrderedJson written(Enum value) {
    return std::string(keyOf(value));
}
template <Tabled T>
[[nodiscard]] OrderedJson written(const T& record) {
    OrderedJson object = OrderedJson::object();
    for (const Field<T>& field : fieldsOf<T>())
        if (field.set != nullptr && (field.stands == nullptr || field.stands(record)))
            object[std::string(field.name)] = field.get(record);
    return object;
}
template <class T>
[[nodiscard]] OrderedJson written(const std::optional<T>& value) {
    return value ? written(*value) : OrderedJson(nullptr);
}
template <class T>
[[nodiscard]] OrderedJson written(const std::vector<T>& values) {
    OrderedJson list = OrderedJson::array();
    for (const T& value : values) list.push_back(written(value));
    return list;
}

inline void read(bool& value, const LocatedValue& from) {
    value = from.flag();
}
inline void read(int& value, const LocatedValue& from) {
    value = from.smallCount();
}
inline void read(std::int64_t& value, const LocatedValue& from) {
    value = from.count();
}
inline void read(std::uint64_t& value, const LocatedValue& from) {
    value = from.bits();
}
inline void read(double& value, const LocatedValue& from) {
    value = from.amount();
}
inline void read(std::string& value, const LocatedValue& from) {
    value = from.text();
}
inline void read(std::vector<std::string>& values, const LocatedValue& from) {
    values = from.texts();
}
inline void read(std::vector<TokenId>& values, const LocatedValue& from) {
    values = from.tokens();
}
template <class Tag>
void read(StrongId<Tag, std::int64_t>& value, const LocatedValue& from) {
    value.value = from.count();
}
template <class Enum>
requires std::is_enum_v<Enum>
void read(Enum& value, const LocatedValue& from) {
    const std::string name = from.text();
    const std::optional<Enum> found = valueOfKey<Enum>(name);
    if (!found) from.wrong("'" + name + "', which is unknown");
    value = found.value_or(Enum{});
}
template <Tabled T>
void read(T& record, const LocatedValue& from) {
    ObjectReader reader(from);
    for (const Field<T>& field : fieldsOf<T>()) {
        const auto& [since, with] = field.presence;
        if (field.set == nullptr || from.reading.version() < since) continue;
        if (with.empty() || reader.has(with)) field.set(record, reader.member(field.name));
    }
}
template <class T>
void read(std::optional<T>& value, const LocatedValue& from) {
    value.reset();
    if (!from.json.is_null()) read(value.emplace(), from);
}
template <Tabled T>
void read(std::vector<T>& values, const LocatedValue& from) {
    readItems(from, [&values](const LocatedValue& item) { read(values.emplace_back(), item); });
}

// ---------------------------------------------------------------- lines of a table

template <class R, class T>
R recordOf(T R::*);
template <auto first>
using RecordOf = decltype(recordOf(first));

/// A field for the member at a path of member pointers: field<&A::b, &B::c>("c").
template <auto first, auto... rest>
[[nodiscard]] constexpr Field<RecordOf<first>> field(std::string_view name,
                                                     FieldPresence presence = {},
                                                     Column column = Column::InPlace) {
    using R = RecordOf<first>;
    return {.name = name,
            .get = [](const R& r) { return written(((r.*first).*....*rest)); },
            .set = [](R& r, const LocatedValue& from) { read(((r.*first).*....*rest), from); },
            .presence = presence,
            .column = column};
}
/// A boolean field written as 1 or 0.
template <auto first, auto... rest>
[[nodiscard]] constexpr Field<RecordOf<first>> zeroOrOne(std::string_view name,
                                                         FieldPresence presence = {},
                                                         Column column = Column::InPlace) {
    using R = RecordOf<first>;
    return {
        .name = name,
        .get = [](const R& r) { return OrderedJson(((r.*first).*....*rest) ? 1 : 0); },
        .set = [](R& r, const LocatedValue& from) { ((r.*first).*....*rest) = from.zeroOrOne(); },
        .presence = presence,
        .column = column};
}
/// A column for a part of another member.
template <auto first, auto... rest>
[[nodiscard]] constexpr Field<RecordOf<first>> onlyColumn(std::string_view name) {
    Field<RecordOf<first>> made = field<first, rest...>(name);
    made.set = nullptr;
    return made;
}

// ---------------------------------------------------------------- tables for spreadsheets

/// Format of floating-point numbers in a column.
enum class Decimals {
    AsInJson,  ///< "3.0"
    Shortest   ///< "3"
};

/// Returns "" for null.
[[nodiscard]] inline std::string cellOf(const OrderedJson& value,
                                        Decimals decimals = Decimals::Shortest) {
    if (value.is_null()) return {};
    if (value.is_string()) return csvCell(value.get<std::string>());
    if (value.is_number_float() && decimals == Decimals::Shortest)
        return format("{}", value.get<double>());
    return value.dump();
}

/// One header row and one row per record.
template <Tabled T>
[[nodiscard]] std::string csvTable(const std::vector<T>& records,
                                   Decimals decimals = Decimals::Shortest) {
    std::vector<const Field<T>*> columns;
    for (const Column place : {Column::InPlace, Column::Last})
        for (const Field<T>& field : fieldsOf<T>())
            if (field.column == place) columns.push_back(&field);
    std::string csv;
    for (const Field<T>* column : columns)
        csv += format("{}{}", csv.empty() ? "" : ",", column->name);
    csv += "\r\n";
    for (const T& record : records) {
        for (const Field<T>* column : columns) {
            if (column != columns.front()) csv += ',';
            csv += cellOf(column->get(record), decimals);
        }
        csv += "\r\n";
    }
    return csv;
}

/// Returns the column with this name; null if there is none.
template <Tabled T>
[[nodiscard]] const Field<T>* columnNamed(std::string_view name) {
    for (const Field<T>& field : fieldsOf<T>())
        if (field.name == name && field.column != Column::None) return &field;
    return nullptr;
}

}  // namespace lacuna
