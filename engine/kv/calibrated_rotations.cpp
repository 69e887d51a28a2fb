#include "engine/kv/calibrated_rotations.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"

namespace lacuna {
namespace {

constexpr std::size_t kBits = 8;

/// Errors: as CalibratedRotations::make.
Result<std::vector<std::shared_ptr<const Rotation>>> rotationsOf(const RotationMatrices& matrices,
                                                                 bool keys) {
    const std::vector<float>& all = keys ? matrices.keys : matrices.values;
    const auto dim = static_cast<std::size_t>(matrices.dim);
    std::vector<std::shared_ptr<const Rotation>> out;
    for (std::size_t at = 0; at < matrices.heads(); ++at) {
        const float* const first = all.data() + at * dim * dim;
        RowFit fit;
        if (keys) {
            const float* const centre = matrices.centres.data() + at * dim;
            fit.centre.assign(centre, centre + dim);
        }
        std::copy_n(matrices.ranges.data() + (2 * at + (keys ? 0 : 1)) * kBits, kBits,
                    fit.ranges.begin());
        auto rotation = Rotation::dense(matrices.dim, std::vector<float>(first, first + dim * dim),
                                        std::move(fit));
        if (!rotation)
            return tl::unexpected<Error>(withPrefix(
                rotation.error(), format("{} of layer {}, head {}", keys ? "keys" : "values",
                                         at / static_cast<std::size_t>(matrices.kvHeads),
                                         at % static_cast<std::size_t>(matrices.kvHeads))));
        out.push_back(std::make_shared<const Rotation>(std::move(*rotation)));
    }
    return out;
}

/// Returns true if the counts of all numbers match.
bool fits(const RotationMatrices& matrices) {
    if (matrices.layers < 1 || matrices.kvHeads < 1 || matrices.dim < Rotation::kMinDim ||
        matrices.dim > Rotation::kMaxDim)
        return false;
    const auto dim = static_cast<std::size_t>(matrices.dim);
    const std::size_t heads = matrices.heads();
    return matrices.keys.size() == heads * dim * dim &&
           matrices.values.size() == heads * dim * dim && matrices.centres.size() == heads * dim &&
           matrices.ranges.size() == heads * 2 * kBits;
}

}  // namespace

std::string RotationMatrices::hash() const {
    std::vector<float> all;
    for (const auto* part : {&keys, &values, &centres, &ranges})
        all.insert(all.end(), part->begin(), part->end());
    return hashHex(std::as_bytes(std::span(all)));
}

CalibratedRotations::CalibratedRotations() = default;
CalibratedRotations::~CalibratedRotations() = default;

Result<std::shared_ptr<const CalibratedRotations>> CalibratedRotations::make(
    const RotationMatrices& matrices) {
    if (!fits(matrices))
        return fail(
            ErrorCode::InvalidArgument,
            format("rotations of {} layers with {} heads of {} numbers do not match {} numbers for "
                   "keys, {} for values, {} for centres and {} for ranges",
                   matrices.layers, matrices.kvHeads, matrices.dim, matrices.keys.size(),
                   matrices.values.size(), matrices.centres.size(), matrices.ranges.size()));
    const std::shared_ptr<CalibratedRotations> out(new CalibratedRotations);
    out->layers_ = matrices.layers;
    out->kvHeads_ = matrices.kvHeads;
    out->dim_ = matrices.dim;
    out->fingerprint_ = matrices.fingerprint;
    out->hash_ = matrices.hash();
    LACUNA_TRY(out->keys_, rotationsOf(matrices, true));
    LACUNA_TRY(out->values_, rotationsOf(matrices, false));
    return std::shared_ptr<const CalibratedRotations>(out);
}

std::shared_ptr<const CalibratedRotations> CalibratedRotations::ofLayers(
    const std::vector<int>& layers) const {
    const std::shared_ptr<CalibratedRotations> out(new CalibratedRotations);
    out->layers_ = static_cast<int>(layers.size());
    out->kvHeads_ = kvHeads_;
    out->dim_ = dim_;
    out->fingerprint_ = fingerprint_;
    std::string which = hash_;
    for (const int layer : layers) {
        which += format(" {}", layer);
        for (int head = 0; head < kvHeads_; ++head) {
            out->keys_.push_back(keys_[at(layer, head)]);
            out->values_.push_back(values_[at(layer, head)]);
        }
    }
    out->hash_ = hashHex(std::as_bytes(std::span(which)));
    return out;
}

std::size_t CalibratedRotations::at(int layer, int head) const {
    LACUNA_REQUIRE(layer >= 0 && layer < layers_ && head >= 0 && head < kvHeads_,
                   "layer and head of the model");
    return static_cast<std::size_t>(layer) * static_cast<std::size_t>(kvHeads_) +
           static_cast<std::size_t>(head);
}

const Rotation& CalibratedRotations::keys(int layer, int head) const {
    return *keys_[at(layer, head)];
}

const Rotation& CalibratedRotations::values(int layer, int head) const {
    return *values_[at(layer, head)];
}

bool sameRotations(const CalibratedRotations* a, const CalibratedRotations* b) {
    return a == b || (a != nullptr && b != nullptr && a->hash() == b->hash());
}

}  // namespace lacuna
