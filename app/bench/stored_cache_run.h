#pragma once
/// \file
/// End-to-end loss of storing a cache: a text is read into a cache, the cache is encoded and
/// decoded into a fresh one, and both read the continuation. Sizes include everything stored
/// (uncoded tokens, headers, side information) but not the bundle, which belongs to the model. Runs
/// on the calling thread. docs/stored-caches.md, "Measured".

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
    int context = 3072;       ///< stored tokens per window of the text
    int after = 256;          ///< tokens evaluated after them
    int windows = 4;          ///< maximum number
    int chunk = 256;          ///< tokens per forward pass, at most the model's maximum
    int repeat = 3;           ///< decodings per cache; the median speed is reported
    int firstCompared = 4;    ///< rows of tokens before this index are not compared
    int lastCompared = 128;   ///< number of newest tokens whose rows are not compared
    DType type = DType::F16;  ///< row type of the cache
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< counts windows
};

struct StoredCacheFigures {
    std::int64_t tokens = 0;  ///< stored tokens per window
    std::int64_t windows = 0;
    double bytesPerToken = 0;
    double ratio = 0;  ///< bytes of 16-bit rows over stored bytes
    /// Mean over compared rows of a head, rotated as attention reads them; nullopt if no rows are
    /// compared.
    std::optional<double> cosineKeys;
    std::optional<double> cosineValues;
    DivergenceFigures divergence;
    double perplexityChange = 0;   ///< 0.01: 1 % higher
    double encodeMbPerSecond = 0;  ///< 10^6 bytes of 16-bit rows per second of CPU time of one
                                   ///< thread
    double decodeMbPerSecond = 0;
};

/// Errors: InvalidArgument (text shorter than a window, with the required number of tokens), those
/// of the codec and of Transformer::forward, Cancelled.
[[nodiscard]] Result<StoredCacheFigures> measureStoredCache(Transformer& model,
                                                            const PageCodec& codec,
                                                            std::span<const TokenId> text,
                                                            const StoredCacheMeasure& measure);

[[nodiscard]] OrderedJson storedCacheJson(const StoredCacheFigures& figures);

}  // namespace lacuna
