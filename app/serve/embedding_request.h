#pragma once
/// \file
/// Parses embedding requests and writes their replies, in the formats of OpenAI and of llama.cpp's
/// server. Pure functions. docs/server.md, "Embeddings".

#include <cstdint>
#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"
#include "app/serve/text_embedder.h"

namespace lacuna::app {

struct RequestedEmbeddings {
    std::vector<std::vector<TokenId>> texts;  ///< at least one, none empty
    bool base64 = false;                      ///< vectors as base64 of little-endian float32
    bool normalised = true;
    bool native = false;  ///< reply in the format of llama.cpp's server
    std::vector<std::string> warnings;
};

/// `width` is the size of the model's vectors. Error: 400 naming the member.
[[nodiscard]] ApiResult<RequestedEmbeddings> readEmbeddings(const OrderedJson& object, bool native,
                                                            const ServedModel& model,
                                                            Pooling pooling, int width,
                                                            const StopRequested& stop);

/// `vectors` is [texts][1, or one per token][width].
[[nodiscard]] OrderedJson embeddingsJson(
    const RequestedEmbeddings& asked, const std::vector<std::vector<std::vector<float>>>& vectors,
    const ServedModel& model);

}  // namespace lacuna::app
