#pragma once
/// \file
/// Reads tokenizer files to TokenizerData: GGUF metadata, tokenizer.json with its neighbours, and
/// the older pairs of vocabulary and merges. Unsupported features are refused by name, because a
/// wrong guess silently gives wrong tokens. Pure functions; may be called from many threads.
/// Sources: GGUF specification (tokenizer.ggml keys); Hugging Face tokenizers serialisation.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/gguf.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// Returns the kind for a number of SentencePiece's ModelProto and GGUF's token_type, 1 to 6;
/// nullopt for other numbers.
[[nodiscard]] std::optional<TokenKind> tokenKindFromNumber(std::int64_t number);

/// Reads the vocabulary in a GGUF file's metadata. Errors: ModelMissingKey, GgufMetaType,
/// TokConfig, TokSpecialId; Tokenizer::create checks the rest.
[[nodiscard]] Result<TokenizerData> tokenizerFromGguf(const GgufFile& file);

/// Reads a folder or a single tokenizer.json, tokenizer.model or vocab.txt. A folder may hold, in
/// this order: tokenizer.json; tokenizer.model (or spiece.model); vocab.json and merges.txt;
/// encoder.json and vocab.bpe; vocab.txt. tokenizer_config.json, generation_config.json and
/// added_tokens.json next to them are read if they exist. Errors: NotFound naming the expected
/// files, Json, TokConfig, TokMerges, TokPreUnknown.
[[nodiscard]] Result<TokenizerData> tokenizerFromFolder(const std::filesystem::path& path);

/// Reads the parsed content of a single tokenizer.json: model, added tokens, splitting, edge
/// tokens. Errors: TokConfig naming the field.
[[nodiscard]] Result<TokenizerData> tokenizerFromJson(const Json& document);

/// Adds the tokens whose names end a turn in the known chat formats ("<|im_end|>", ...), if they
/// are special in this vocabulary and not yet listed.
void addKnownEnds(TokenizerData& data);

/// Reads a tokenizer.model, SentencePiece's own file (sentencepiece_model.proto): a vocabulary with
/// its scores and the library's rules for preparing texts. The file does not define tokens at the
/// edges of a text. Errors: TokConfig.
[[nodiscard]] Result<TokenizerData> tokenizerFromModel(std::string_view bytes);

}  // namespace lacuna
