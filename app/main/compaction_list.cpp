#include "app/main/compaction_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/quality/loss_figures.h"
#include "engine/values/compaction_values.h"

namespace lacuna::cli {
namespace {

double mib(std::int64_t bytes) {
    return static_cast<double>(bytes) / 0x1p20;
}

std::string because(const CompactionReport& report) {
    return report.reason.empty() ? std::string() : ": " + report.reason;
}

/// "; 97 % of the text's information kept, weakest passage 81 %" where that was measured.
std::string keptOf(const CompactionReport& report) {
    if (!report.kept) return {};
    return format("; {:.0f} % of the text's information kept, weakest passage {:.0f} %",
                  100 * report.kept->all, 100 * report.kept->worst);
}

std::string endOf(const CompactionReport& report) {
    switch (report.result) {
        case CompactionResult::Done:
            return format("done: {} to {} slots, {:.1f} to {:.1f} MiB{}{}{}",
                          grouped(report.slotsBefore), grouped(report.slotsAfter),
                          mib(report.liveBytesBefore), mib(report.liveBytesAfter), keptOf(report),
                          report.reason.empty() ? "" : "; ", report.reason);
        case CompactionResult::Skipped:
            return "skipped" + because(report) + keptOf(report);
        case CompactionResult::Failed:
            return "failed" + because(report);
        case CompactionResult::Aborted:
            return "cancelled" + because(report);
        case CompactionResult::Started:
            return format("not finished: {} slots were being made fewer beside the answer",
                          grouped(report.slotsBefore));
    }
    return {};
}

}  // namespace

bool CompactionList::unfinished() const {
    return std::ranges::count(reports_, CompactionResult::Started, &CompactionReport::result) > 0;
}

/// At most one goes on at a time, though others may be told of before it ends.
void CompactionList::add(CompactionReport report) {
    const auto begun =
        std::ranges::find(reports_, CompactionResult::Started, &CompactionReport::result);
    if (report.background && begun != reports_.end())
        *begun = std::move(report);
    else
        reports_.push_back(std::move(report));
}

std::string CompactionList::counts() const {
    constexpr std::array<std::pair<CompactionResult, const char*>, 5> kWords{
        {{CompactionResult::Done, "done"},
         {CompactionResult::Skipped, "skipped"},
         {CompactionResult::Failed, "failed"},
         {CompactionResult::Aborted, "cancelled"},
         {CompactionResult::Started, "not finished"}}};
    std::string text;
    for (const auto& [result, word] : kWords) {
        const auto count = std::ranges::count(reports_, result, &CompactionReport::result);
        if (count == 0) continue;
        const bool first = text.empty();
        text += first ? format("{} compaction{} {}", count, count == 1 ? "" : "s", word)
                      : format(", {} {}", count, word);
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
        const bool done = report.result == CompactionResult::Done;
        const bool started = report.result == CompactionResult::Started;
        const auto figure = [done](auto value) {
            return done ? OrderedJson(value) : OrderedJson(nullptr);
        };
        list.push_back({{"result", started ? "not_finished" : keyOf(report.result)},
                        {"slots_before", report.slotsBefore},
                        {"slots_after", figure(report.slotsAfter)},
                        {"live_bytes_before", report.liveBytesBefore},
                        {"live_bytes_after", figure(report.liveBytesAfter)},
                        {"milliseconds", figure(report.totalMs)},
                        {"note", report.reason}});
        addLossJson(list.back(), report);
    }
    return list;
}

}  // namespace lacuna::cli
