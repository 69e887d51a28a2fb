#include "engine/compress/ratio_search.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

// A larger ratio that is no further off is not sought.
constexpr double kCloseEnough = 1.12;
// How fast a loss grows with the ratio where only one point is known.
constexpr double kUsualSlope = 2;
constexpr double kFlattest = 0.5;
constexpr double kSteepest = 6;
// A guess at the limit itself would exceed it half of the time.
constexpr double kSafely = 0.8;
constexpr double kNearlyNothing = 0.1;
// Of nothing that is lost there is no logarithm.
constexpr double kLeastShare = 1e-3;

}  // namespace

LossThresholds thresholdsOf(const LossLimit& limit) {
    switch (limit.level) {
        case LossLimit::Level::Strict:
            return {.all = 0.997, .worst = 0.96};
        case LossLimit::Level::Balanced:
            return {.all = 0.99, .worst = 0.92};
        case LossLimit::Level::Share:
            return {.all = limit.share};
        case LossLimit::Level::Off:
            break;
    }
    return {};
}

double lossShare(const LossThresholds& limit, const KeptInformation& kept) {
    constexpr double kNone = 1e-9;  // 1 allows no loss at all
    double share = (1 - kept.all) / std::max(1 - limit.all, kNone);
    if (limit.worst > 0) share = std::max(share, (1 - kept.worst) / (1 - limit.worst));
    return share;
}

std::string lossLimitText(const LossLimit& limit) {
    if (limit.level == LossLimit::Level::Share) return format("{}", limit.share);
    return std::string(kLossLimitNames[static_cast<std::size_t>(limit.level)]);
}

RatioSearch::RatioSearch(const LossLimit& limit, double asked, double least)
    : limit_(thresholdsOf(limit)), asked_(asked), least_(std::min(least, asked)) {}

std::optional<double> RatioSearch::next() const {
    if (trials_ == 0) return asked_;
    if (!exceeding_ || trials_ == kMostTrials) return std::nullopt;
    const double low = best_ ? best_->ratio : least_;
    if (exceeding_->ratio <= low * kCloseEnough && (best_ || exceeding_->ratio <= least_))
        return std::nullopt;
    const double lowest = best_ ? low * std::sqrt(kCloseEnough) : low;
    double tried =
        std::clamp(guess(), lowest, std::max(exceeding_->ratio / std::sqrt(kCloseEnough), lowest));
    // The last trial is of what is more likely to keep the limit.
    if (!best_ && trials_ == kMostTrials - 1) tried = std::sqrt(least_ * tried);
    return tried;
}

/// Where the loss reaches the limit, if it grows as a power of the ratio: between the points on
/// both sides of it, else by the two lowest ones, else by the usual power. @pre something exceeded
/// it
double RatioSearch::guess() const {
    std::vector<Point> points = points_;
    std::ranges::sort(points, {}, &Point::ratio);
    const auto high = std::ranges::find(points, exceeding_->ratio, &Point::ratio);
    const auto other = best_ ? std::ranges::find(points, best_->ratio, &Point::ratio) : high + 1;
    double slope = kUsualSlope;
    if (other != points.end())
        slope = std::log(high->share / other->share) / std::log(high->ratio / other->ratio);
    slope = std::clamp(slope, kFlattest, kSteepest);
    const double found = high->ratio * std::pow(kSafely / high->share, 1 / slope);
    // A loss that is nearly complete says nothing of where it began.
    const bool complete = !best_ && exceeding_->kept.all < kNearlyNothing;
    return complete ? std::max(found, std::sqrt(least_ * high->ratio)) : found;
}

void RatioSearch::found(const KeptInformation& kept) {
    const double ratio = *next();
    const double share = std::max(lossShare(limit_, kept), kLeastShare);
    ++trials_;
    points_.push_back({ratio, share});
    if (share <= 1) {
        if (!best_ || ratio > best_->ratio) best_ = Found{ratio, kept};
    } else if (!exceeding_ || ratio < exceeding_->ratio) {
        exceeding_ = Found{ratio, kept};
    }
}

CompactionNotes limitNotes(const RatioSearch& search, const LossLimit& limit, double asked) {
    if (!search.limited()) return {};
    if (search.best())
        return {noteOf(CompactionReason::LimitedByLoss, search.best()->ratio, asked,
                       lossLimitText(limit))};
    const RatioSearch::Found& least = *search.exceeding();
    return {noteOf(CompactionReason::LimitNotKept, lossLimitText(limit), least.ratio,
                   100 * least.kept.all, 100 * least.kept.worst)};
}

}  // namespace lacuna
