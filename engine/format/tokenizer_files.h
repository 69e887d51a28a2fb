#pragma once
/// \file
/// Tokenizers as files hold them, turned into TokenizerData: GGUF metadata, tokenizer.json with its
/// neighbours, and the older pairs of vocabulary and merges. What a file asks for and is not built
/// is refused by name, because a wrong guess gives wrong tokens without a sound. Pure functions;
/// may be called from many threads. Sources: GGUF specification (tokenizer.ggml keys); Hugging Face
/// tokenizers serialisation.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/gguf.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// The kind that a number means of SentencePiece's ModelProto and GGUF's token_type, 1 to 6;
/// nothing for another number.
[[nodiscard]] std::optional<TokenKind> tokenKindFromNumber(std::int64_t number);

/// The vocabulary in a GGUF file's metadata.
/// Errors: ModelMissingKey, GgufMetaType, TokConfig, TokSpecialId; Tokenizer::create checks the
/// rest.
[[nodiscard]] Result<TokenizerData> tokenizerFromGguf(const GgufFile& file);

/// From a folder or a single tokenizer.json, tokenizer.model or vocab.txt. A folder may hold, in
/// this order: tokenizer.json; tokenizer.model (or spiece.model);
/// vocab.json and merges.txt; encoder.json and vocab.bpe; vocab.txt. tokenizer_config.json,
/// generation_config.json and added_tokens.json next to them are read where they exist.
/// Errors: NotFound naming what was looked for, Json, TokConfig, TokMerges, TokPreUnknown.
[[nodiscard]] Result<TokenizerData> tokenizerFromFolder(const std::filesystem::path& path);

/// The parsed content of a tokenizer.json alone: model, added tokens, splitting, edge tokens.
/// Errors: TokConfig naming the field.
[[nodiscard]] Result<TokenizerData> tokenizerFromJson(const Json& document);

/// Adds the tokens whose names end a turn in the known chat formats ("<|im_end|>", ...), where they
/// are special in this vocabulary and not yet listed.
void addKnownEnds(TokenizerData& data);

/// A tokenizer.model, SentencePiece's own file (sentencepiece_model.proto): a vocabulary with its
/// scores and the library's rules for preparing texts. Which tokens stand at
/// the edges of a text, the file does not say. Errors: TokConfig.
[[nodiscard]] Result<TokenizerData> tokenizerFromModel(std::string_view bytes);

}  // namespace lacuna
