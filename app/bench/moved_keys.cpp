// Values are not variables of the search: at every point they are the ridge fit for the keys. By
// the envelope theorem, the gradient along keys and biases is that of the loss with fixed values.

#include "app/bench/moved_keys.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "engine/compress/matching/float_matrices.h"
#include "engine/compress/matching/mass_fit.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/ridge_blocks.h"
#include "engine/compress/matching/value_prior.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr std::int64_t kFolds = 4;
// Ridge strength towards the prior values during the search.
constexpr float kMoveLambda = 0.2F;
constexpr float kLambdas[] = {0.05F, 0.2F, 1.0F};
// Weight of the squared error of the log mass relative to the squared relative error of the
// outputs. Outputs alone let single masses drift and overfit the reference queries.
constexpr double kMassPart = 0.02;
// Penalty for moving all keys by their own length, as a part of the squared outputs.
constexpr double kHold = 0.1;
constexpr int kMemory = 10;  // pairs stored by L-BFGS
constexpr int kTries = 12;
constexpr double kSufficient = 1e-4;
// Numbers of steps after which the held-out error is evaluated.
constexpr int kStops[] = {0, 10, 20, 40};
constexpr float kLongestFirst = 0.1F;

double dot(const Floats& a, const Floats& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

void add(Floats& to, double factor, const Floats& what) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += static_cast<float>(factor) * what[i];
}

/// Reference queries with the span's attention output for each.
struct Asked {
    std::int64_t keyDim = 0, dim = 0;
    Floats raw;         ///< [n, keyDim] unscaled
    Floats queries;     ///< [n, keyDim] scaled
    Floats transposed;  ///< [keyDim, n], the scaled queries transposed
    Floats outputs;     ///< [n, dim] weighted
    Floats weights;     ///< [n]
    Floats logMass;     ///< [n]
    double whole = 0, weight = 0;
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(weights.size()); }
};

/// Attention of the queries over the moved keys.
struct Attended {
    Floats scores;   ///< [n, kept] before the bias, capped; filled only with a soft cap
    Floats shares;   ///< [n, kept], rows sum to 1
    Floats logMass;  ///< [n]
};

/// Values for one point of the search.
struct Values {
    Floats correction;  ///< [kept, dim] relative to the prior
    Floats missed;      ///< [n, dim] weighted residual of the outputs
    double trace = 0;   ///< trace of the Gram matrix divided by the number of keys
    float lambda = 0;   ///< the ridge strength that succeeded
};

/// Returns the queries with nonzero weight and the span's outputs for them.
Asked askedOf(const HeadSpan& head, const SpanAttention& span);
/// Returns the queries of a fold if `held`, otherwise all others.
Asked part(const Asked& all, std::int64_t fold, bool held);

class KeyMover {
  public:
    KeyMover(const HeadSpan& head, const SpanAttention& span, const KeyStart& start,
             const ValueFitOptions& options);
    /// Returns the points after the step counts in kStops.
    [[nodiscard]] Result<std::vector<Floats>> search(const Asked& asked) const;
    /// Returns the squared error on `held` of values fitted to `asked`, for each lambda.
    [[nodiscard]] Result<std::vector<double>> judged(const Floats& place, const Asked& asked,
                                                     const Asked& held,
                                                     std::span<const float> lambdas) const;
    /// Returns the squared error of the unfitted prior values with the original keys.
    [[nodiscard]] double priorError(const Asked& held) const {
        return squares(unanswered(weighted(attended(start_, held), held), held));
    }
    /// Returns the result for a point; nullopt if it is not finite.
    [[nodiscard]] Result<std::optional<MovedKeys>> finish(const Floats& place, const Asked& asked,
                                                          float lambda) const;

  private:
    struct Loss {
        double value = std::numeric_limits<double>::infinity();
        Floats slope;  ///< gradient, [kept * keyDim + kept]
    };
    [[nodiscard]] Attended attended(const Floats& place, const Asked& asked) const;
    [[nodiscard]] Floats weighted(const Attended& at, const Asked& asked) const;
    /// Weighted outputs minus those of the prior values.
    [[nodiscard]] Floats unanswered(const Floats& rows, const Asked& asked) const;
    [[nodiscard]] Result<std::optional<Values>> valuesAt(const Floats& rows, const Asked& asked,
                                                         float lambda) const;
    [[nodiscard]] Result<Loss> lossAt(const Floats& place, const Asked& asked) const;
    [[nodiscard]] MovedKeys levelled(const Floats& place, const Asked& asked) const;

    std::int64_t kept_, dim_, keyDim_;
    float softCap_;
    BufferPool* buffers_;
    Floats start_;               ///< keys [kept, keyDim], then biases [kept]
    Floats prior_, priorByDim_;  ///< [kept, dim], [dim, kept]
    double keySquares_ = 0;      ///< sum of squares of the original keys
};

KeyMover::KeyMover(const HeadSpan& head, const SpanAttention& span, const KeyStart& start,
                   const ValueFitOptions& options)
    : kept_(static_cast<std::int64_t>(start.chosen.slots.size())),
      dim_(span.values.size() / span.slots),
      keyDim_(head.keyDim),
      softCap_(head.softCap),
      buffers_(span.buffers),
      prior_(clusterValues(span, start.chosen, dim_, options.anchor)),
      priorByDim_(transposed(prior_, dim_)) {
    start_.resize(sized(kept_ * keyDim_));
    for (std::int64_t a = 0; a < kept_; ++a)
        readKeys(head.head, head.keyDim, head.first + start.chosen.slots[sized(a)], 1,
                 start_.data() + a * keyDim_);
    keySquares_ = std::max(squares(start_), 1e-30);
    start_.insert(start_.end(), start.bias.begin(), start.bias.end());
}

/// Solves ln p = score + bias - log mass for the log mass, at the slot with the largest weight for
/// the query.
float logMassOf(const HeadSpan& head, const SpanAttention& span, std::int64_t query) {
    std::int64_t best = 0;
    for (std::int64_t slot = 1; slot < span.slots; ++slot)
        if (span.row(slot)[query] > span.row(best)[query]) best = slot;
    const float share = span.row(best)[query];
    if (!(share > 0)) return std::numeric_limits<float>::quiet_NaN();
    Floats key(sized(head.keyDim));
    readKeys(head.head, head.keyDim, head.first + static_cast<int>(best), 1, key.data());
    double score = 0;
    for (std::size_t d = 0; d < key.size(); ++d)
        score += static_cast<double>(head.queries.row(query)[d]) * static_cast<double>(key[d]);
    score *= static_cast<double>(head.scale);
    if (head.softCap > 0)
        score = static_cast<double>(head.softCap) *
                std::tanh(score / static_cast<double>(head.softCap));
    return static_cast<float>(score + static_cast<double>(span.bias[sized(best)]) -
                              std::log(static_cast<double>(share)));
}

Asked askedOf(const HeadSpan& head, const SpanAttention& span) {
    Asked all;
    all.keyDim = head.keyDim;
    all.dim = span.values.size() / span.slots;
    for (std::int64_t i = 0; i < span.queries; ++i) {
        const float weight = span.weights[sized(i)];
        if (!(weight > 0)) continue;
        const float logMass = logMassOf(head, span, i);
        if (!std::isfinite(logMass)) continue;
        const auto query = head.queries.row(i);
        all.raw.insert(all.raw.end(), query.begin(), query.end());
        for (const float x : query) all.queries.push_back(x * head.scale);
        for (std::int64_t d = 0; d < all.dim; ++d)
            all.outputs.push_back(span.outputs[sized(d * span.columns + i)] * weight);
        all.weights.push_back(weight);
        all.logMass.push_back(logMass);
    }
    return part(all, -1, false);
}

Asked part(const Asked& all, std::int64_t fold, bool held) {
    Asked out;
    out.keyDim = all.keyDim;
    out.dim = all.dim;
    for (std::int64_t i = 0; i < all.count(); ++i) {
        if (fold >= 0 && (i % kFolds == fold) != held) continue;
        const auto take = [&](const Floats& from, std::int64_t width, Floats& to) {
            to.insert(to.end(), from.begin() + i * width, from.begin() + (i + 1) * width);
        };
        take(all.raw, all.keyDim, out.raw);
        take(all.queries, all.keyDim, out.queries);
        take(all.outputs, all.dim, out.outputs);
        take(all.weights, 1, out.weights);
        take(all.logMass, 1, out.logMass);
        out.weight += static_cast<double>(out.weights.back());
    }
    out.transposed = transposed(out.queries, out.keyDim);
    out.whole = squares(out.outputs);
    return out;
}

Attended KeyMover::attended(const Floats& place, const Asked& asked) const {
    Attended out;
    const Floats keys(place.begin(), place.begin() + kept_ * keyDim_);
    out.shares = timesTransposed(asked.queries, keys, keyDim_);
    if (softCap_ > 0) {
        for (float& s : out.shares) s = softCap_ * std::tanh(s / softCap_);
        out.scores = out.shares;
    }
    const float* bias = place.data() + kept_ * keyDim_;
    out.logMass.resize(sized(asked.count()));
    for (std::int64_t i = 0; i < asked.count(); ++i) {
        float* row = out.shares.data() + i * kept_;
        float top = -std::numeric_limits<float>::infinity();
        for (std::int64_t a = 0; a < kept_; ++a) {
            row[a] += bias[a];
            top = row[a] > top ? row[a] : top;
        }
        float sum = 0;
        for (std::int64_t a = 0; a < kept_; ++a) sum += row[a] = std::exp(row[a] - top);
        const float part = 1 / sum;
        for (std::int64_t a = 0; a < kept_; ++a) row[a] *= part;
        out.logMass[sized(i)] = top + std::log(sum);
    }
    return out;
}

Floats KeyMover::weighted(const Attended& at, const Asked& asked) const {
    Floats rows = at.shares;
    for (std::int64_t i = 0; i < asked.count(); ++i)
        for (std::int64_t a = 0; a < kept_; ++a)
            rows[sized(i * kept_ + a)] *= asked.weights[sized(i)];
    return rows;
}

Floats KeyMover::unanswered(const Floats& rows, const Asked& asked) const {
    Floats rest = timesTransposed(rows, priorByDim_, kept_);
    for (std::size_t n = 0; n < rest.size(); ++n) rest[n] = asked.outputs[n] - rest[n];
    return rest;
}

Result<std::optional<Values>> KeyMover::valuesAt(const Floats& rows, const Asked& asked,
                                                 float lambda) const {
    Values out;
    out.missed = unanswered(rows, asked);
    const Floats byKey = transposed(rows, kept_);
    const Floats gram = timesTransposed(byKey, byKey, asked.count());
    const Floats right = timesTransposed(byKey, transposed(out.missed, dim_), asked.count());
    for (std::int64_t a = 0; a < kept_; ++a)
        out.trace += static_cast<double>(gram[sized(a * kept_ + a)]) / static_cast<double>(kept_);
    LACUNA_TRY(auto solved, solveRidgeBlocks({.gram = {gram.data(), {kept_, kept_}},
                                              .right = {right.data(), {kept_, dim_}},
                                              .lambda = lambda,
                                              .largest = 0},
                                             buffers_));
    if (!solved) return std::optional<Values>{};
    out.correction = std::move(solved->values);
    out.lambda = solved->lambda;
    add(out.missed, -1, timesTransposed(rows, transposed(out.correction, dim_), kept_));
    return std::optional(std::move(out));
}

Result<KeyMover::Loss> KeyMover::lossAt(const Floats& place, const Asked& asked) const {
    Loss out;
    const Attended at = attended(place, asked);
    const Floats rows = weighted(at, asked);
    LACUNA_TRY(const auto found, valuesAt(rows, asked, kMoveLambda));
    if (!found) return out;
    const double ridge = static_cast<double>(found->lambda) * squares(found->correction);
    double away = 0;
    for (std::int64_t n = 0; n < kept_ * keyDim_; ++n) {
        const auto way = static_cast<double>(place[sized(n)] - start_[sized(n)]);
        away += way * way;
    }
    double mass = 0;
    Floats values = prior_;
    add(values, 1, found->correction);
    // Gradient of the loss with respect to an attention weight, before query weights.
    Floats slope = timesTransposed(found->missed, values, dim_);
    const auto ridgePart = static_cast<float>(ridge / static_cast<double>(kept_) * 2 / asked.whole);
    for (std::int64_t i = 0; i < asked.count(); ++i) {
        const float weight = asked.weights[sized(i)];
        const float off = at.logMass[sized(i)] - asked.logMass[sized(i)];
        mass += static_cast<double>(weight) * static_cast<double>(off) * static_cast<double>(off);
        const auto massPart = static_cast<float>(2 * kMassPart / asked.weight) * weight * off;
        const auto answerPart = static_cast<float>(-2 / asked.whole) * weight;
        float* line = slope.data() + i * kept_;
        const float* shares = at.shares.data() + i * kept_;
        float mean = 0;
        for (std::int64_t a = 0; a < kept_; ++a) {
            line[a] = line[a] * answerPart + ridgePart * weight * weight * shares[a];
            mean += line[a] * shares[a];
        }
        for (std::int64_t a = 0; a < kept_; ++a) line[a] = shares[a] * (line[a] - mean + massPart);
    }
    out.value = (squares(found->missed) + ridge * found->trace) / asked.whole +
                kMassPart * mass / asked.weight + kHold * away / keySquares_;
    Floats biasSlope(sized(kept_), 0.0F);
    for (std::int64_t i = 0; i < asked.count(); ++i)
        for (std::int64_t a = 0; a < kept_; ++a) biasSlope[sized(a)] += slope[sized(i * kept_ + a)];
    if (softCap_ > 0)
        for (std::size_t n = 0; n < slope.size(); ++n) {
            const float part = at.scores[n] / softCap_;
            slope[n] *= 1 - part * part;
        }
    out.slope = timesTransposed(transposed(slope, kept_), asked.transposed, asked.count());
    const auto pull = static_cast<float>(2 * kHold / keySquares_);
    for (std::int64_t n = 0; n < kept_ * keyDim_; ++n)
        out.slope[sized(n)] += pull * (place[sized(n)] - start_[sized(n)]);
    out.slope.insert(out.slope.end(), biasSlope.begin(), biasSlope.end());
    return out;
}

/// History of L-BFGS: steps and the change of the gradient along them.
class Curvature {
  public:
    void remember(Floats step, Floats change) {
        const double along = dot(step, change);
        if (!(along > 1e-10 * std::sqrt(dot(step, step) * dot(change, change)))) return;
        pairs_.push_back({std::move(step), std::move(change), along});
        if (pairs_.size() > kMemory) pairs_.pop_front();
    }
    /// Returns the descent direction for a gradient.
    [[nodiscard]] Floats direction(const Floats& slope) const {
        Floats out = slope;
        std::vector<double> parts(pairs_.size());
        for (std::size_t k = pairs_.size(); k-- > 0;) {
            parts[k] = dot(pairs_[k].step, out) / pairs_[k].along;
            add(out, -parts[k], pairs_[k].change);
        }
        double scale = 0;
        if (pairs_.empty()) {
            float largest = 0;
            for (const float x : slope) largest = std::max(largest, std::abs(x));
            scale = largest > 0 ? static_cast<double>(kLongestFirst / largest) : 0.0;
        } else {
            const Pair& last = pairs_.back();
            scale = last.along / dot(last.change, last.change);
        }
        for (float& x : out) x *= static_cast<float>(scale);
        for (std::size_t k = 0; k < pairs_.size(); ++k)
            add(out, parts[k] - dot(pairs_[k].change, out) / pairs_[k].along, pairs_[k].step);
        return out;
    }

  private:
    struct Pair {
        Floats step, change;
        double along = 0;
    };
    std::deque<Pair> pairs_;
};

Result<std::vector<Floats>> KeyMover::search(const Asked& asked) const {
    std::vector<Floats> places;
    Floats place = start_;
    LACUNA_TRY(Loss loss, lossAt(place, asked));
    Curvature curvature;
    bool stuck = !std::isfinite(loss.value);
    for (int steps = 0; places.size() < std::size(kStops);) {
        if (stuck || steps == kStops[places.size()]) {
            places.push_back(place);
            continue;
        }
        const Floats direction = curvature.direction(loss.slope);
        const double fall = dot(direction, loss.slope);
        double length = 1;
        stuck = true;
        for (int tries = 0; tries < kTries && fall > 0; ++tries, length /= 2) {
            Floats next = place;
            add(next, -length, direction);
            LACUNA_TRY(Loss found, lossAt(next, asked));
            if (!(found.value <= loss.value - kSufficient * length * fall)) continue;
            Floats step = next;
            add(step, -1, place);
            Floats change = found.slope;
            add(change, -1, loss.slope);
            curvature.remember(std::move(step), std::move(change));
            place = std::move(next);
            loss = std::move(found);
            stuck = false;
            break;
        }
        ++steps;
    }
    return places;
}

/// Returns keys and biases of a point, with all biases shifted by the mean missing log mass.
MovedKeys KeyMover::levelled(const Floats& place, const Asked& asked) const {
    const Attended at = attended(place, asked);
    std::vector<double> missing;
    double mean = 0;
    for (std::size_t i = 0; i < at.logMass.size(); ++i) {
        missing.push_back(static_cast<double>(asked.logMass[i] - at.logMass[i]));
        mean += static_cast<double>(asked.weights[i]) * missing[i] / asked.weight;
    }
    MovedKeys out{.chosen = {},
                  .keys = {place.begin(), place.begin() + kept_ * keyDim_},
                  .bias = {place.begin() + kept_ * keyDim_, place.end()},
                  .values = {}};
    for (float& b : out.bias) b += static_cast<float>(mean);
    for (std::size_t i = 0; i < missing.size(); ++i)
        out.logMassError +=
            static_cast<double>(asked.weights[i]) * std::abs(missing[i] - mean) / asked.weight;
    return out;
}

Result<std::vector<double>> KeyMover::judged(const Floats& place, const Asked& asked,
                                             const Asked& held,
                                             std::span<const float> lambdas) const {
    const Floats rows = weighted(attended(place, asked), asked);
    const Floats heldRows = weighted(attended(place, held), held);
    std::vector<double> errors;
    for (const float lambda : lambdas) {
        LACUNA_TRY(const auto found, valuesAt(rows, asked, lambda));
        Floats rest = unanswered(heldRows, held);
        if (found)
            add(rest, -1, timesTransposed(heldRows, transposed(found->correction, dim_), kept_));
        errors.push_back(squares(rest));
    }
    return errors;
}

Result<std::optional<MovedKeys>> KeyMover::finish(const Floats& place, const Asked& asked,
                                                  float lambda) const {
    LACUNA_TRY(const auto found, valuesAt(weighted(attended(place, asked), asked), asked, lambda));
    if (!found) return std::optional<MovedKeys>{};
    MovedKeys out = levelled(place, asked);
    out.values.values = prior_;
    out.values.fitUsed = true;
    add(out.values.values, 1, found->correction);
    const auto finite = [](float x) { return std::isfinite(x); };
    if (!std::ranges::all_of(out.keys, finite) || !std::ranges::all_of(out.bias, finite) ||
        !std::ranges::all_of(out.values.values, finite))
        return std::optional<MovedKeys>{};
    return std::optional(std::move(out));
}

/// A combination of start, step count and ridge strength.
struct Way {
    std::size_t choice = 0, stop = 0, lambda = 0;
};

bool suits(const Asked& asked, std::int64_t kept) {
    const auto n = static_cast<double>(asked.count());
    const auto keys = static_cast<double>(kept);
    const auto dim = static_cast<double>(std::max(asked.keyDim, asked.dim));
    return asked.count() >= kMinFitQueries && asked.whole > 0 && asked.weight > 0 && kept > 0 &&
           n * keys * (keys + 6 * dim) <= kMaxMoves;
}

}  // namespace

Result<std::optional<MovedKeys>> moveKeys(const HeadSpan& head, SpanAttention& span,
                                          std::span<const StartChoice> choices,
                                          const ValueFitOptions& options) {
    std::vector<float> lambdas(std::begin(kLambdas), std::end(kLambdas));
    if (options.lambda) lambdas = {*options.lambda};
    const Asked all = askedOf(head, span);
    std::vector<KeyStart> starts;
    for (const StartChoice& choose : choices) {
        LACUNA_TRY(starts.emplace_back(), choose(span));
        if (!suits(all, std::ssize(starts.back().chosen.slots))) return std::optional<MovedKeys>{};
    }
    // errors[choice][stop][lambda]
    std::vector<std::vector<std::vector<double>>> errors(
        choices.size(), std::vector<std::vector<double>>(std::size(kStops),
                                                         std::vector<double>(lambdas.size(), 0.0)));
    std::vector<double> ofPrior(choices.size(), 0.0);
    for (std::int64_t fold = 0; fold < kFolds; ++fold) {
        const Asked others = part(all, fold, false);
        const Asked held = part(all, fold, true);
        HeadSpan seen = head;
        seen.queries = {others.raw.data(), {others.count(), others.keyDim}};
        LACUNA_TRY(SpanAttention attention, attendSpan(seen));
        for (std::size_t c = 0; c < choices.size(); ++c) {
            LACUNA_TRY(const KeyStart start, choices[c](attention));
            if (start.chosen.slots.empty()) return std::optional<MovedKeys>{};
            const KeyMover mover(seen, attention, start, options);
            LACUNA_TRY(const std::vector<Floats> places, mover.search(others));
            ofPrior[c] += mover.priorError(held);
            for (std::size_t stop = 0; stop < places.size(); ++stop) {
                LACUNA_TRY(const std::vector<double> found,
                           mover.judged(places[stop], others, held, lambdas));
                for (std::size_t l = 0; l < found.size(); ++l) errors[c][stop][l] += found[l];
            }
        }
    }
    Way best;
    const auto errorOf = [&](const Way& way) { return errors[way.choice][way.stop][way.lambda]; };
    for (std::size_t c = 0; c < choices.size(); ++c)
        for (std::size_t stop = 0; stop < std::size(kStops); ++stop)
            for (std::size_t l = 0; l < lambdas.size(); ++l)
                if (const Way way{c, stop, l}; errorOf(way) < errorOf(best)) best = way;
    const KeyMover mover(head, span, starts[best.choice], options);
    LACUNA_TRY(const std::vector<Floats> places, mover.search(all));
    LACUNA_TRY(auto out, mover.finish(places[best.stop], all, lambdas[best.lambda]));
    if (!out) return out;
    out->chosen = std::move(starts[best.choice].chosen);
    out->values.priorError = std::sqrt(ofPrior[best.choice] / all.whole);
    out->values.heldOutError = std::sqrt(errorOf(best) / all.whole);
    return out;
}

}  // namespace lacuna
