#include "app/main/compaction_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/quality/loss_figures.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna::cli {
namespace {

double mib(std::int64_t bytes) {
    return static_cast<double>(bytes) / 0x1p20;
}

std::string noted(const char* joiner, const CompactionReport& report) {
    return report.notes.empty() ? std::string() : joiner + exclusionText(report.notes);
}

/// Returns "; 97 % of the text's information kept, weakest passage 81 %" if it was measured.
std::string keptOf(const CompactionReport& report) {
    if (!report.kept) return {};
    return format("; {:.0f} % of the text's information kept, weakest passage {:.0f} %",
                  100 * report.kept->all, 100 * report.kept->worst);
}

std::string endOf(const CompactionReport& report) {
    switch (outcomeOf(report)) {
        case CompactionOutcome::Done:
        case CompactionOutcome::Limited:
            return format("done: {} to {} slots, {:.1f} to {:.1f} MiB{}{}",
                          grouped(report.slotsBefore), grouped(report.slotsAfter),
                          mib(report.liveBytesBefore), mib(report.liveBytesAfter), keptOf(report),
                          noted("; ", report));
        case CompactionOutcome::Skipped:
            return "skipped" + noted(": ", report) + keptOf(report);
        case CompactionOutcome::Failed:
            return "failed" + noted(": ", report);
        case CompactionOutcome::Cancelled:
            return "cancelled" + noted(": ", report);
        case CompactionOutcome::Running:
            return format("not finished: {} slots were being compacted in the background",
                          grouped(report.slotsBefore));
    }
    return {};
}

}  // namespace

bool CompactionList::unfinished() const {
    return std::ranges::any_of(reports_, [](const CompactionReport& report) {
        return outcomeOf(report) == CompactionOutcome::Running;
    });
}

void CompactionList::add(CompactionReport report) {
    const auto begun = std::ranges::find_if(reports_, [&report](const CompactionReport& one) {
        return one.id == report.id && outcomeOf(one) == CompactionOutcome::Running;
    });
    if (begun != reports_.end())
        *begun = std::move(report);
    else
        reports_.push_back(std::move(report));
}

/// Returns "2 compactions done (1 limited), 1 skipped".
std::string CompactionList::counts() const {
    std::array<std::int64_t, kKeys<CompactionOutcome>.size()> of = {};
    for (const CompactionReport& report : reports_)
        ++of[static_cast<std::size_t>(outcomeOf(report))];
    const auto count = [&of](CompactionOutcome outcome) {
        return of[static_cast<std::size_t>(outcome)];
    };
    const std::int64_t limited = count(CompactionOutcome::Limited);
    const std::pair<std::int64_t, const char*> parts[] = {
        {count(CompactionOutcome::Done) + limited, "done"},
        {count(CompactionOutcome::Skipped), "skipped"},
        {count(CompactionOutcome::Failed), "failed"},
        {count(CompactionOutcome::Cancelled), "cancelled"},
        {count(CompactionOutcome::Running), "not finished"}};
    std::string text;
    for (const auto& [number, word] : parts) {
        if (number == 0) continue;
        text += text.empty() ? format("{} compaction{} {}", number, number == 1 ? "" : "s", word)
                             : format(", {} {}", number, word);
        if (word == parts[0].second && limited > 0) text += format(" ({} limited)", limited);
    }
    return text.empty() ? "no compaction" : text;
}

std::vector<std::string> CompactionList::sentences() const {
    std::vector<std::string> all;
    for (const CompactionReport& report : reports_)
        all.push_back(format("compaction {} {}", all.size() + 1, endOf(report)));
    return all;
}

OrderedJson CompactionList::json() const {
    OrderedJson list = OrderedJson::array();
    for (const CompactionReport& report : reports_) {
        const CompactionOutcome outcome = outcomeOf(report);
        const bool done = compacted(outcome);
        const bool started = outcome == CompactionOutcome::Running;
        const auto figure = [done](auto value) {
            return done ? OrderedJson(value) : OrderedJson(nullptr);
        };
        list.push_back({{"result", started ? "not_finished" : keyOf(report.result)},
                        {"slots_before", report.slotsBefore},
                        {"slots_after", figure(report.slotsAfter)},
                        {"live_bytes_before", report.liveBytesBefore},
                        {"live_bytes_after", figure(report.liveBytesAfter)},
                        {"milliseconds", figure(report.workMs())},
                        {"pause_ms", figure(report.pauseMs())},
                        {"work_ms", figure(report.workMs())},
                        {"note", exclusionText(report.notes)}});
        addLossJson(list.back(), report);
    }
    return list;
}

}  // namespace lacuna::cli
