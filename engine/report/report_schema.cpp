#include "engine/report/report_schema.h"

#include <array>
#include <vector>

#include "engine/report/report_names.h"

namespace lacuna {
namespace {

/// Makes a column from an expression that names the field of a sample `s`.
#define LACUNA_COUNT_COLUMN(columnName, field)                              \
    SampleColumn {                                                          \
        columnName, SampleColumn::Kind::Count,                              \
            [](const StepSample& s) { return OrderedJson(s.field); },       \
            [](StepSample& s, const Json& value) { value.get_to(s.field); } \
    }

std::vector<SampleColumn> makeColumns() {
    return {
        LACUNA_COUNT_COLUMN("time_ns", timeNs),
        LACUNA_COUNT_COLUMN("turn", at.turn),
        LACUNA_COUNT_COLUMN("index", at.index),
        LACUNA_COUNT_COLUMN("conversation", conversation.value),
        LACUNA_COUNT_COLUMN("revision", revision.value),
        {"phase", SampleColumn::Kind::Phase,
         [](const StepSample& s) { return OrderedJson(std::string(reportName(s.phase))); },
         [](StepSample& s, const Json& value) {
             s.phase = *engineStateNamed(value.get<std::string>());
         }},
        LACUNA_COUNT_COLUMN("tokens", tokens),
        {"step_ms", SampleColumn::Kind::Real,
         [](const StepSample& s) { return OrderedJson(s.stepMs); },
         [](StepSample& s, const Json& value) { s.stepMs = value.get<double>(); }},
        LACUNA_COUNT_COLUMN("cache_tokens", kv.tokens),
        LACUNA_COUNT_COLUMN("slots_total", kv.slotsTotal),
        LACUNA_COUNT_COLUMN("slots_largest_head", kv.slotsLargestHead),
        LACUNA_COUNT_COLUMN("logical_bytes", kv.logicalBytes),
        LACUNA_COUNT_COLUMN("live_bytes", kv.liveBytes),
        LACUNA_COUNT_COLUMN("allocated_bytes", kv.allocatedBytes),
        LACUNA_COUNT_COLUMN("reallocations", kv.reallocations),
        LACUNA_COUNT_COLUMN("compactions", kv.compactions),
        {"compaction_enabled", SampleColumn::Kind::Count,
         [](const StepSample& s) { return OrderedJson(s.compaction.enabled ? 1 : 0); },
         [](StepSample& s, const Json& value) { s.compaction.enabled = value.get<int>() != 0; }},
        {"compaction_due", SampleColumn::Kind::Count,
         [](const StepSample& s) { return OrderedJson(s.compaction.due ? 1 : 0); },
         [](StepSample& s, const Json& value) { s.compaction.due = value.get<int>() != 0; }},
        LACUNA_COUNT_COLUMN("slots", compaction.slots),
        LACUNA_COUNT_COLUMN("target", compaction.target),
        LACUNA_COUNT_COLUMN("trigger", compaction.trigger),
        LACUNA_COUNT_COLUMN("rss_bytes", rssBytes),
    };
}

}  // namespace

std::span<const SampleColumn> sampleColumns() {
    static const std::vector<SampleColumn> columns = makeColumns();
    return columns;
}

}  // namespace lacuna
