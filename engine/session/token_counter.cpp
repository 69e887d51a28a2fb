#include "engine/session/token_counter.h"

#include <utility>

#include "engine/format/load_model.h"

namespace lacuna {

Result<TokenCounter> TokenCounter::open(const std::filesystem::path& model, std::stop_token stop) {
    LACUNA_TRY(Tokenizer tokenizer, loadTokenizer(model, std::move(stop)));
    return TokenCounter(std::move(tokenizer));
}

Result<std::int64_t> TokenCounter::count(std::string_view text, StopRequested stop) const {
    LACUNA_TRY(const auto ids, tokenizer_.encode(text, {.stop = std::move(stop)}));
    return static_cast<std::int64_t>(ids.size());
}

}  // namespace lacuna
