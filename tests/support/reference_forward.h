#pragma once
/// \file
/// Reference forward pass in float64, token by token over plain arrays, without a cache: the oracle
/// of the transformer. It reads a LoadedModel as the engine does, decodes its matrices to float64
/// and shares no arithmetic with the engine. Rotary angles come from reference_rope.h.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "engine/format/load_model.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/reference_rope.h"

namespace lacuna::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// Rounds every block of 32 to multiples of a 127th of its largest magnitude, as the inputs of int8
/// products.
inline Row roundedToInt8(Row x) {
    constexpr std::size_t kBlock = 32;
    for (std::size_t first = 0; first < x.size(); first += kBlock) {
        double largest = 0;
        for (std::size_t i = first; i < first + kBlock; ++i)
            largest = std::max(largest, std::fabs(x[i]));
        if (largest == 0) continue;
        for (std::size_t i = first; i < first + kBlock; ++i)
            x[i] = std::nearbyint(x[i] * (127 / largest)) * (largest / 127);
    }
    return x;
}

enum class ReferenceInputs {
    Whole,
    Int8,  ///< applies to the input of every matrix product
};

/// Restricts the queries of one KV head from `own` on to the first `keep` tokens, all tokens from
/// `own` on, and between them those at most `near` tokens before the query.
struct ReferenceCut {
    int layer = -1;  ///< -1 = none
    int kvHead = 0;
    std::size_t keep = 0;
    std::size_t near = 0;
    std::size_t own = 0;
    [[nodiscard]] bool hides(std::size_t query, std::size_t key) const {
        return query >= own && key >= keep && key < own && key + near < query;
    }
};

class ReferenceForward {
  public:
    explicit ReferenceForward(const LoadedModel& model,
                              ReferenceInputs inputs = ReferenceInputs::Whole,
                              ReferenceCut cut = {})
        : spec_(model.spec), w_(model.weights), inputs_(inputs), cut_(cut) {}

    /// If set, called with the attention share of a query head from one token to another.
    std::function<void(int layer, std::size_t head, std::size_t from, std::size_t to, double share)>
        looked;

    /// Returns the logits [tokens, vocabulary] of a sequence fed in one step.
    [[nodiscard]] Rows logits(const std::vector<TokenId>& tokens) const {
        Rows x;
        for (const TokenId token : tokens) {
            Row row = decoded(w_.embedding)[size(token)];
            for (double& v : row) v *= double{spec_.embeddingScale};
            x.push_back(row);
        }
        const Rows own = spec_.layerEmbedding > 0 ? layerEmbeddings(tokens, x) : Rows();
        std::vector<Stored> stored(size(spec_.layers));
        for (int l = 0; l < spec_.layers; ++l) {
            const LayerWeights& layer = w_.layers[static_cast<std::size_t>(l)];
            const Rows input = normed(x, layer.attentionNorm, layer.attentionNormBias);
            if (!spec_.layer(l).readsCacheOf) stored[size(l)] = keysAndValues(layer, l, input);
            addBranch(x, attention(layer, l, input, stored[size(spec_.cacheLayer(l))]),
                      layer.postAttentionNorm);
            addBranch(x, feedForward(layer, l, x), layer.postFeedForwardNorm);
            if (spec_.layerEmbedding > 0)
                addBranch(x, gatedEmbeddings(layer, l, x, own), layer.postLayerNorm);
            for (Row& row : x)
                for (double& v : row) v *= double{layer.outputScale};
        }
        Rows out = normed(x, w_.finalNorm, w_.finalNormBias);
        for (Row& row : out) {
            row = times(w_.output, row);
            for (double& v : row) {
                v *= double{spec_.logitScale};
                v = capped(v, spec_.logitSoftCap);
            }
        }
        return out;
    }

  private:
    static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
    static double capped(double x, float cap) {
        return cap == 0.0F ? x : double{cap} * std::tanh(x / double{cap});
    }
    /// Returns all rows of a matrix, decoded on first use.
    [[nodiscard]] const Rows& decoded(const WeightMatrix& m) const {
        Rows& rows = decoded_[m.data];
        const auto stride = rowBytes(m.type, static_cast<std::uint64_t>(m.columns));
        std::vector<float> values(size(m.columns));
        for (std::size_t r = rows.size(); r < size(m.rows); ++r) {
            decodeRow(m.type, m.data + r * stride, values);
            rows.emplace_back(values.begin(), values.end());
            for (double& v : rows.back()) v *= double{m.scale};
        }
        return rows;
    }
    [[nodiscard]] Row times(const WeightMatrix& m, const Row& input) const {
        const Row x = inputs_ == ReferenceInputs::Int8 ? roundedToInt8(input) : input;
        Row out;
        for (const Row& row : decoded(m)) {
            double sum = 0;
            for (std::size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
            out.push_back(sum);
        }
        return out;
    }
    static void add(Row& target, const std::vector<float>& bias) {
        for (std::size_t i = 0; i < bias.size(); ++i) target[i] += double{bias[i]};
    }
    /// Applies the RMS norm to elements [first, first + gain.size()).
    void normalise(Row& x, std::size_t first, const std::vector<float>& gain) const {
        double squares = 0;
        for (std::size_t i = 0; i < gain.size(); ++i) squares += x[first + i] * x[first + i];
        const double mean = squares / static_cast<double>(gain.size());
        const double factor = 1.0 / std::sqrt(mean + double{spec_.rmsEpsilon});
        for (std::size_t i = 0; i < gain.size(); ++i) x[first + i] *= factor * double{gain[i]};
    }
    /// Applies the layer norm without bias to elements [first, first + gain.size()).
    void centre(Row& x, std::size_t first, std::span<const float> gain) const {
        const auto count = static_cast<double>(gain.size());
        double mean = 0;
        double variance = 0;
        for (std::size_t i = 0; i < gain.size(); ++i) mean += x[first + i] / count;
        for (std::size_t i = 0; i < gain.size(); ++i)
            variance += (x[first + i] - mean) * (x[first + i] - mean) / count;
        const double factor = 1.0 / std::sqrt(variance + double{spec_.rmsEpsilon});
        for (std::size_t i = 0; i < gain.size(); ++i)
            x[first + i] = (x[first + i] - mean) * factor * double{gain[i]};
    }
    [[nodiscard]] Rows normed(Rows x, const std::vector<float>& gain,
                              const std::vector<float>& bias = {}) const {
        if (gain.empty()) return x;
        for (Row& row : x) {
            if (spec_.normKind == NormKind::Layer)
                centre(row, 0, gain);
            else
                normalise(row, 0, gain);
            add(row, bias);
        }
        return x;
    }
    void addBranch(Rows& x, const Rows& branch, const std::vector<float>& postGain) const {
        const Rows last = normed(branch, postGain);
        for (std::size_t t = 0; t < x.size(); ++t)
            for (std::size_t i = 0; i < x[t].size(); ++i)
                x[t][i] += double{spec_.residualScale} * last[t][i];
    }
    struct Stored {
        Rows keys, values;
    };
    /// Returns the embedding [layers, P] that the layers have of each token; `x` are the scaled
    /// embeddings of the tokens.
    [[nodiscard]] Rows layerEmbeddings(const std::vector<TokenId>& tokens, const Rows& x) const {
        const std::size_t each = size(spec_.layerEmbedding);
        Rows out;
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            Row row = times(w_.layerProjection, x[t]);
            for (double& v : row) v /= std::sqrt(double(spec_.hidden));
            for (std::size_t l = 0; l < size(spec_.layers); ++l)
                normalise(row, l * each, w_.layerProjectionNorm);
            const Row& entry = decoded(w_.layerEmbedding)[size(tokens[t])];
            for (std::size_t i = 0; i < row.size(); ++i)
                row[i] = (row[i] + entry[i] * std::sqrt(double(each))) / std::sqrt(2.0);
            out.push_back(row);
        }
        return out;
    }
    [[nodiscard]] Rows gatedEmbeddings(const LayerWeights& layer, int index, const Rows& x,
                                       const Rows& own) const {
        const std::size_t each = size(spec_.layerEmbedding);
        Rows out;
        for (std::size_t t = 0; t < x.size(); ++t) {
            const auto first = own[t].begin() + static_cast<std::ptrdiff_t>(size(index) * each);
            const Row mine(first, first + static_cast<std::ptrdiff_t>(each));
            out.push_back(gated(layer.layerOutput, times(layer.layerGate, x[t]), mine));
        }
        return out;
    }
    [[nodiscard]] Rows feedForward(const LayerWeights& layer, int index, const Rows& x) const {
        const bool mixed = spec_.layer(index).experts;
        Rows branch = normed(x, layer.feedForwardNorm, layer.feedForwardNormBias);
        for (Row& row : branch)
            row = mixed && !spec_.experts.parallelToDense ? experts(layer, row, row)
                                                          : dense(layer, row);
        if (!mixed || !spec_.experts.parallelToDense) return branch;
        branch = normed(branch, layer.postDenseNorm);
        const Rows asking = normed(x, layer.routerScale);
        Rows sums = normed(x, layer.expertNorm);
        for (std::size_t t = 0; t < x.size(); ++t) sums[t] = experts(layer, sums[t], asking[t]);
        sums = normed(sums, layer.postExpertNorm);
        for (std::size_t t = 0; t < x.size(); ++t)
            for (std::size_t i = 0; i < x[t].size(); ++i) branch[t][i] += sums[t][i];
        return branch;
    }
    void finishHeads(Row& row, int heads, const std::vector<float>& gain,
                     const Rotated* angles) const {
        const std::size_t dim = row.size() / size(heads);
        const std::vector<float> ones(dim, 1.0F);
        if (spec_.qkNorm == QkNorm::FullWidth) normalise(row, 0, gain);
        for (std::size_t h = 0; h < size(heads); ++h) {
            if (spec_.qkNorm == QkNorm::PerHead) normalise(row, h * dim, gain);
            if (spec_.qkNorm == QkNorm::HeadGains)
                centre(row, h * dim, std::span(gain).subspan(h * dim, dim));
            if (angles != nullptr) rotate(row, h * dim, *angles);
            // The published code also normalises after the rotation.
            if (spec_.qkNorm == QkNorm::RotatedHeads && angles != nullptr)
                normalise(row, h * dim, ones);
        }
    }
    /// Returns the factor on the queries of this layer at position `t`.
    [[nodiscard]] double temperatureAt(const LayerSpec& layer, std::size_t t) const {
        const QueryTemperature& rule = spec_.temperature;
        if (rule.scale == 0.0F || (rule.unrotatedLayers && layer.rotary)) return 1.0;
        const double steps = std::floor((static_cast<double>(t) + rule.offset) / rule.length);
        return 1.0 + double{rule.scale} * std::log1p(steps);
    }
    [[nodiscard]] std::size_t firstSeen(const LayerSpec& layer, std::size_t t) const {
        const std::size_t window = size(layer.sliding ? spec_.window : 0);
        if (window == 0) return 0;
        if (spec_.chunked) return t / window * window;
        return t + 1 > window ? t + 1 - window : 0;
    }
    [[nodiscard]] const RopeSpec& ropeOf(const LayerSpec& layer) const {
        return layer.sliding && spec_.localRope ? *spec_.localRope : spec_.rope;
    }
    [[nodiscard]] Stored keysAndValues(const LayerWeights& w, int index, const Rows& x) const {
        const LayerSpec layer = spec_.layer(index);
        const std::vector<float> ones(size(layer.headDim), 1.0F);
        Stored out;
        for (std::size_t t = 0; t < x.size(); ++t) {
            Row key = times(w.key, x[t]);
            add(key, w.keyBias);
            Row value = w.value.empty() ? key : times(w.value, x[t]);
            add(value, w.valueBias);
            for (std::size_t at = 0; spec_.valueNorm && at < value.size(); at += ones.size())
                normalise(value, at, ones);
            const Rotated angles = referenceAngles(ropeOf(layer), static_cast<double>(t), x.size());
            finishHeads(key, layer.kvHeads, w.keyNorm, layer.rotary ? &angles : nullptr);
            out.keys.push_back(key);
            out.values.push_back(value);
        }
        return out;
    }
    [[nodiscard]] Rows attention(const LayerWeights& w, int index, const Rows& x,
                                 const Stored& stored) const {
        const LayerSpec layer = spec_.layer(index);
        Rows out;
        for (std::size_t t = 0; t < x.size(); ++t) {
            Row query = times(w.query, x[t]);
            add(query, w.queryBias);
            const Rotated angles = referenceAngles(ropeOf(layer), static_cast<double>(t), x.size());
            finishHeads(query, spec_.heads, w.queryNorm, layer.rotary ? &angles : nullptr);
            for (double& number : query) number *= temperatureAt(layer, t);
            const Row heads = attended(query, stored, {index, firstSeen(layer, t), t});
            out.push_back(times(w.output, heads));
            add(out.back(), w.outputBias);
        }
        return out;
    }
    struct Seen {
        int layer;
        std::size_t first, last;
    };
    /// Returns the output of all heads for one query, the last of the tokens it sees.
    [[nodiscard]] Row attended(const Row& q, const Stored& stored, const Seen& seen) const {
        const auto& [k, v] = stored;
        const auto [layer, first, last] = seen;
        const LayerSpec sizes = spec_.layer(layer);
        const std::size_t dim = size(sizes.headDim);
        const double scale = spec_.attentionScale ? double{*spec_.attentionScale}
                                                  : 1.0 / std::sqrt(double(sizes.headDim));
        Row out(q.size());
        for (std::size_t h = 0; h < size(spec_.heads); ++h) {
            const std::size_t kvHead = h / size(spec_.heads / sizes.kvHeads);
            const std::size_t at = kvHead * dim;
            const bool cut = layer == cut_.layer && kvHead == size(cut_.kvHead);
            Row weights;
            double top = -std::numeric_limits<double>::infinity();
            for (std::size_t j = first; j <= last; ++j) {
                double dot = 0;
                for (std::size_t i = 0; i < dim; ++i) dot += q[h * dim + i] * k[j][at + i];
                weights.push_back(cut && cut_.hides(last, j)
                                      ? -std::numeric_limits<double>::infinity()
                                      : capped(dot * scale, spec_.attentionSoftCap));
                top = std::max(top, weights.back());
            }
            const std::vector<float>& sinks = spec_.sinkScores;
            double mass =
                sinks.empty() ? 0.0 : std::exp(double{sinks[size(layer * spec_.heads) + h]} - top);
            for (double& weight : weights) mass += weight = std::exp(weight - top);
            for (std::size_t j = first; j <= last; ++j) {
                if (looked) looked(layer, h, last, j, weights[j - first] / mass);
                for (std::size_t i = 0; i < dim; ++i)
                    out[h * dim + i] += weights[j - first] / mass * v[j][at + i];
            }
        }
        return out;
    }
    [[nodiscard]] double activated(double x) const {
        if (spec_.activation == Activation::Silu) return x / (1.0 + std::exp(-x));
        const double inner = std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
        return 0.5 * x * (1.0 + std::tanh(inner));
    }
    [[nodiscard]] Row gated(const WeightMatrix& down, const Row& gate, const Row& up) const {
        Row inner(gate.size());
        const double limit = double{spec_.swiglu.limit};
        const double alpha = double{spec_.swiglu.alpha};
        for (std::size_t i = 0; i < inner.size(); ++i) {
            if (spec_.activation == Activation::SwigluClamped) {
                const double g = std::min(gate[i], limit);
                inner[i] =
                    (std::clamp(up[i], -limit, limit) + 1.0) * g / (1.0 + std::exp(-alpha * g));
            } else {
                inner[i] = activated(gate[i]) * up[i];
            }
        }
        return times(down, inner);
    }
    [[nodiscard]] Row dense(const LayerWeights& w, const Row& x) const {
        Row gate = times(w.gate, x);
        Row up = times(w.up, x);
        add(gate, w.gateBias);
        add(up, w.upBias);
        Row out = gated(w.down, gate, up);
        add(out, w.downBias);
        return out;
    }
    [[nodiscard]] Row one(const FeedForwardWeights& w, const Row& x) const {
        Row gate = times(w.gate, x);
        Row up = times(w.up, x);
        add(gate, w.gateBias);
        add(up, w.upBias);
        Row out = gated(w.down, gate, up);
        add(out, w.downBias);
        return out;
    }
    static double scaleOf(const LayerWeights& w, std::size_t expert) {
        return w.expertScale.empty() ? 1.0 : double{w.expertScale[expert]};
    }
    struct Chosen {
        std::size_t expert;
        double weight;
    };
    /// Chooses two experts, each weighted by its share of a softmax over those not far below it.
    [[nodiscard]] std::vector<Chosen> mixed(Row logits) const {
        std::vector<Chosen> chosen;
        for (int k = 0; k < 2; ++k) {
            const auto best =
                static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
            const double top = logits[best];
            double all = 0;
            for (const double logit : logits)
                if ((top - logit) / std::max(std::fabs(logit), top) <=
                    2.0 * double{spec_.experts.jitter})
                    all += std::exp(logit - top);
            chosen.push_back({best, 1.0 / all});
            logits[best] = -std::numeric_limits<double>::infinity();
        }
        return chosen;
    }
    [[nodiscard]] std::vector<Chosen> chosen(const LayerWeights& w, const Row& logits) const {
        const ExpertSpec& spec = spec_.experts;
        if (spec.scoring == ExpertScoring::SparseMixer) return mixed(logits);
        Row score(logits.size());
        double all = 0;
        for (const double logit : logits) all += std::exp(logit);
        for (std::size_t e = 0; e < score.size(); ++e)
            score[e] = spec.scoring == ExpertScoring::Sigmoid ? 1.0 / (1.0 + std::exp(-logits[e]))
                                                              : std::exp(logits[e]) / all;
        Row merit = score;
        add(merit, w.selectionBias);
        const std::size_t each = merit.size() / size(spec.groups);
        std::vector<std::pair<double, std::size_t>> groups;
        for (std::size_t g = 0; g < size(spec.groups); ++g) {
            Row group(merit.begin() + static_cast<std::ptrdiff_t>(g * each),
                      merit.begin() + static_cast<std::ptrdiff_t>((g + 1) * each));
            std::ranges::sort(group, std::greater<>());
            groups.emplace_back(-(group[0] + (each > 1 ? group[1] : 0.0)), g);
        }
        std::ranges::sort(groups);
        std::vector<std::size_t> order;
        for (std::size_t g = 0; g < size(spec.groupsPerToken); ++g)
            for (std::size_t i = 0; i < each; ++i) order.push_back(groups[g].second * each + i);
        std::ranges::sort(order);
        std::ranges::stable_sort(order, [&](auto a, auto b) { return merit[a] > merit[b]; });
        order.resize(size(spec.perToken));
        double sum = 0;
        for (const std::size_t e : order) sum += score[e];
        const double divisor =
            spec.normaliseWeights ? std::max(sum, double{spec.smallestSum}) : 1.0;
        std::vector<Chosen> chosen;
        for (const std::size_t e : order)
            chosen.push_back({e, score[e] / divisor * double{spec.weightScale}});
        return chosen;
    }
    /// `asking` is the input of the router.
    [[nodiscard]] Row experts(const LayerWeights& w, const Row& x, const Row& asking) const {
        const ExpertSpec& spec = spec_.experts;
        Row logits = times(w.router, asking);
        add(logits, w.routerBias);
        Row out(x.size());
        for (const auto& [e, weight] : chosen(w, logits)) {
            Row input = x;
            for (double& v : input) v *= spec.weighsInput ? weight : 1.0;
            const Row result = one(w.experts[e], input);
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] += (spec.weighsInput ? 1.0 : weight * scaleOf(w, e)) * result[i];
        }
        if (spec.sharedFeedForward == 0) return out;
        const double opening =
            spec.sharedExpertGate ? 1.0 / (1.0 + std::exp(-times(w.sharedExpertGate, x)[0])) : 1.0;
        const Row result = one(w.sharedExpert, x);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += opening * result[i];
        return out;
    }

    const ModelSpec& spec_;
    const Weights& w_;
    ReferenceInputs inputs_;
    ReferenceCut cut_;
    mutable std::map<const std::byte*, Rows> decoded_;
};

}  // namespace lacuna::test
