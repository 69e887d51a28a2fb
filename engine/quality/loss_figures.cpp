#include "engine/quality/loss_figures.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

template <class T>
OrderedJson orNull(bool there, T value) {
    return there ? OrderedJson(value) : OrderedJson(nullptr);
}

}  // namespace

void addInformationJson(OrderedJson& json, const std::optional<KeptInformation>& kept) {
    const KeptInformation is = kept.value_or(KeptInformation{});
    json["kept_information"] = orNull(kept.has_value(), is.all);
    json["kept_error"] = orNull(kept.has_value(), is.error);
    json["kept_worst"] = orNull(kept.has_value(), is.worst);
    json["kl_mean"] = orNull(kept.has_value(), is.klMean);
    json["kl_p99"] = orNull(kept.has_value(), is.klP99);
    json["same_top"] = orNull(kept.has_value(), is.sameTop);
}

void addLossJson(OrderedJson& json, const std::optional<CompactionReport>& report) {
    const bool done = report && report->result == CompactionResult::Done;
    json["asked_ratio"] = orNull(report.has_value(), report ? report->requestedRatio : 0);
    json["achieved_ratio"] = orNull(done, done ? report->achievedRatio : 0);
    json["limited"] = orNull(report.has_value(), report && report->limited);
    const auto kept = report ? report->kept : std::nullopt;
    addInformationJson(json, kept);
    if (kept && kept->worstEnd > 0) json["weakest_passage"] = {kept->worstFirst, kept->worstEnd};
}

void LossFigures::add(const CompactionReport& report) {
    ++texts_;
    asked_ += report.requestedRatio;
    achieved_ += report.result == CompactionResult::Done ? report.achievedRatio : 1;
    limited_ += report.limited ? 1 : 0;
    if (!report.kept) return;
    const KeptInformation& kept = *report.kept;
    ++measured_;
    sums_.all += kept.all;
    sums_.error += kept.error * kept.error;
    sums_.worst = std::min(sums_.worst, kept.worst);
    sums_.klMean += kept.klMean;
    sums_.klP99 = std::max(sums_.klP99, kept.klP99);
    sums_.sameTop += kept.sameTop;
}

void LossFigures::addTo(OrderedJson& json) const {
    const auto texts = static_cast<double>(std::max<std::int64_t>(texts_, 1));
    json["asked_ratio"] = orNull(texts_ > 0, asked_ / texts);
    json["achieved_ratio"] = orNull(texts_ > 0, achieved_ / texts);
    json["limited"] = orNull(texts_ > 0, limited_);
    if (measured_ == 0) return addInformationJson(json, std::nullopt);
    const auto count = static_cast<double>(measured_);
    KeptInformation mean = sums_;
    mean.all /= count;
    mean.error = std::sqrt(sums_.error) / count;
    mean.klMean /= count;
    mean.sameTop /= count;
    addInformationJson(json, mean);
}

}  // namespace lacuna
