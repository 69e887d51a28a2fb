#pragma once
/// \file
/// What storing a cache costs a model, end to end: a text is read into a cache, the cache is coded
/// and decoded into a fresh one, and what follows in the text is read by both. Everything that is
/// stored counts in its bytes: plain tokens, headers, side information; a bundle does not, it is of
/// the model. Runs on the calling thread. docs/stored-caches.md, "Measured".

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/model/transformer.h"
#include "engine/prefix/page_codec.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

struct StoredCacheMeasure {
    int context = 3072;       ///< tokens that are stored, of each window of the text
    int after = 256;          ///< tokens of it that are followed then
    int windows = 4;          ///< at most
    int chunk = 256;          ///< tokens of a forward pass, at most the model's
    int repeat = 3;           ///< decodings of each; the median speed is given
    int firstCompared = 4;    ///< rows of tokens before this one are not compared
    int lastCompared = 128;   ///< nor those of so many newest ones
    DType type = DType::F16;  ///< of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< windows
};

struct StoredCacheFigures {
    std::int64_t tokens = 0;  ///< stored in each window
    std::int64_t windows = 0;
    double bytesPerToken = 0;
    double ratio = 0;  ///< 16-bit rows over bytes
    /// Mean over compared rows of a head, rotated as attention sees them; none where there are
    /// none.
    std::optional<double> cosineKeys;
    std::optional<double> cosineValues;
    DivergenceFigures divergence;
    double perplexityChange = 0;   ///< 0.01: 1 % higher
    double encodeMbPerSecond = 0;  ///< of 16-bit rows, 10^6 bytes, of one thread's processor time
    double decodeMbPerSecond = 0;
};

/// Errors: InvalidArgument (a text shorter than a window, naming the tokens it must have), those of
/// the codec and of Transformer::forward, Cancelled.
[[nodiscard]] Result<StoredCacheFigures> measureStoredCache(Transformer& model,
                                                            const PageCodec& codec,
                                                            std::span<const TokenId> text,
                                                            const StoredCacheMeasure& measure);

[[nodiscard]] OrderedJson storedCacheJson(const StoredCacheFigures& figures);

}  // namespace lacuna
