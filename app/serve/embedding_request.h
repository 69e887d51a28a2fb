#pragma once
/// \file
/// Texts that a request wants vectors of, and the answer with them, in the forms of OpenAI and of
/// llama.cpp's server. Pure functions. docs/server.md, "Embeddings".

#include <cstdint>
#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"
#include "app/serve/text_embedder.h"

namespace lacuna::app {

struct AskedEmbeddings {
    std::vector<std::vector<TokenId>> texts;  ///< one at least, none empty
    bool base64 = false;                      ///< little-endian float32
    bool normalised = true;
    bool native = false;  ///< in the form of llama.cpp's server
    std::vector<std::string> warnings;
};

/// 400 naming the member. `width` is that of the model's vectors.
[[nodiscard]] ApiResult<AskedEmbeddings> readEmbeddings(const OrderedJson& object, bool native,
                                                        const ServedModel& model, Pooling pooling,
                                                        int width, const StopAsked& stop);

/// `vectors` [texts][one, or one for each token][width].
[[nodiscard]] OrderedJson embeddingsJson(
    const AskedEmbeddings& asked, const std::vector<std::vector<std::vector<float>>>& vectors,
    const ServedModel& model);

}  // namespace lacuna::app
