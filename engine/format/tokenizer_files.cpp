#include "engine/format/tokenizer_files.h"
#include "engine/base/json.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/tokenizer_json.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = 256U << 20;
constexpr std::size_t kLlama3Pieces = 128'000;
constexpr std::size_t kMaxPieces = 1U << 20;

std::string nameOf(const fs::path& path) {
    return path.filename().string();
}

bool isThere(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

Result<Json> readJson(const fs::path& path) {
    LACUNA_TRY(const std::string text, readFile(path, kMaxFileBytes));
    Result<Json> parsed = parseJson(text, kTableJson);
    if (!parsed) return tl::unexpected<Error>(withPrefix(std::move(parsed).error(), nameOf(path)));
    return parsed;
}

/// Reads an optional file next to the tokenizer; an empty object if it is absent.
Result<Json> readOptional(const fs::path& path) {
    if (!isThere(path)) return Json::object();
    LACUNA_TRY(Json parsed, readJson(path));
    if (!parsed.is_object())
        return fail(ErrorCode::TokConfig, format("{}: expected an object", nameOf(path)));
    return parsed;
}

std::string textOf(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.contains("content") && value["content"].is_string())
        return value["content"].get<std::string>();
    return {};
}

class IdByText {
  public:
    explicit IdByText(const TokenizerData& data) {
        for (std::size_t i = 0; i < data.pieces.size(); ++i)
            ids_.emplace(data.pieces[i], static_cast<TokenId>(i));
    }
    [[nodiscard]] std::optional<TokenId> find(const std::string& text) const {
        const auto found = ids_.find(text);
        if (text.empty() || found == ids_.end()) return std::nullopt;
        return found->second;
    }

  private:
    std::unordered_map<std::string, TokenId> ids_;
};

/// tokenizer_config.json: names of the special tokens, and whether they are added at the edges.
void applyConfig(const Json& config, TokenizerData& data) {
    const IdByText ids(data);
    const auto take = [&](const char* key, std::optional<TokenId>& slot) {
        if (!config.contains(key)) return;
        if (const auto id = ids.find(textOf(config[key]))) slot = id;
    };
    take("bos_token", data.bos);
    take("eos_token", data.eos);
    take("pad_token", data.pad);
    if (!data.unknown) take("unk_token", data.unknown);
    const auto edge = [&](const char* key, bool& flag, std::optional<TokenId> id) {
        if (config.contains(key) && config[key].is_boolean())
            flag = config[key].get<bool>() && id.has_value();
    };
    edge("add_bos_token", data.addBos, data.bos);
    edge("add_eos_token", data.addEos, data.eos);
    if (!data.addBos) data.prefixTokens.clear();
    if (!data.addEos) data.suffixTokens.clear();
}

/// generation_config.json: ids that end an answer, one or a list.
void applyGeneration(const Json& generation, TokenizerData& data) {
    const auto valid = [&](const Json& value) {
        return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
               value.get<std::int64_t>() < static_cast<std::int64_t>(data.pieces.size());
    };
    const auto addEnd = [&](const Json& value) {
        if (!valid(value)) return;
        const auto id = value.get<TokenId>();
        if (!data.eos) data.eos = id;
        const auto& ends = data.endOfTurn;
        if (id != *data.eos && std::find(ends.begin(), ends.end(), id) == ends.end())
            data.endOfTurn.push_back(id);
    };
    if (generation.contains("eos_token_id")) {
        const Json& eos = generation["eos_token_id"];
        if (eos.is_array())
            for (const Json& id : eos) addEnd(id);
        else
            addEnd(eos);
    }
    if (!data.bos && generation.contains("bos_token_id") && valid(generation["bos_token_id"]))
        data.bos = generation["bos_token_id"].get<TokenId>();
}

Status applyNeighbours(const fs::path& folder, TokenizerData& data) {
    LACUNA_TRY(const Json config, readOptional(folder / "tokenizer_config.json"));
    LACUNA_TRY(const Json generation, readOptional(folder / "generation_config.json"));
    applyConfig(config, data);
    applyGeneration(generation, data);
    addKnownEnds(data);
    return {};
}

Result<TokenizerData> fromTokenizerJson(const fs::path& path) {
    LACUNA_TRY(const Json document, readJson(path));
    LACUNA_TRY(TokenizerData data, tokenizerFromJson(document));
    LACUNA_TRY_STATUS(applyNeighbours(path.parent_path(), data));
    return data;
}

Status readMergeLines(const fs::path& path, TokenizerData& data) {
    LACUNA_TRY(const std::string text, readFile(path, kMaxFileBytes));
    std::size_t begin = 0;
    for (std::size_t line = 1; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view merge = std::string_view(text).substr(begin, end - begin);
        if (merge.ends_with('\r')) merge.remove_suffix(1);
        begin = end + 1;
        const bool header = line == 1 && merge.starts_with("#version");
        if (merge.empty() || header) continue;
        if (merge.find(' ') == std::string_view::npos)
            return fail(ErrorCode::TokMerges,
                        format("{}: line {} is \"{}\"; expected two pieces with a space between",
                               nameOf(path), line, merge));
        data.merges.emplace_back(merge);
    }
    return {};
}

Status addPiece(TokenizerData& data, std::int64_t id, const std::string& text, TokenKind kind) {
    if (id < 0 || id >= static_cast<std::int64_t>(kMaxPieces))
        return fail(ErrorCode::TokConfig, format("the token \"{}\" has id {}; expected 0 to {}",
                                                 text, id, kMaxPieces - 1));
    const auto index = static_cast<std::size_t>(id);
    if (index >= data.pieces.size()) {
        data.pieces.resize(index + 1);
        data.kinds.resize(index + 1, TokenKind::Unused);
    }
    if (!data.pieces[index].empty() && data.pieces[index] != text)
        return fail(ErrorCode::TokConfig,
                    format("id {} represents \"{}\" and \"{}\"", id, data.pieces[index], text));
    data.pieces[index] = text;
    // A token for unknown text or for a byte keeps its kind.
    const TokenKind before = data.kinds[index];
    if (before != TokenKind::Unknown && before != TokenKind::Byte) data.kinds[index] = kind;
    return {};
}

/// Reads an object that maps text to id.
Status readIdTable(const fs::path& path, TokenKind kind, TokenizerData& data) {
    LACUNA_TRY(const Json table, readJson(path));
    if (!table.is_object())
        return fail(ErrorCode::TokConfig, format("{}: expected an object", nameOf(path)));
    for (const auto& [text, id] : table.items()) {
        if (!id.is_number_integer())
            return fail(ErrorCode::TokConfig,
                        format("{}: the id of \"{}\" is not an integer", nameOf(path), text));
        LACUNA_TRY_STATUS(addPiece(data, id.get<std::int64_t>(), text, kind));
    }
    return {};
}

/// added_tokens_decoder of tokenizer_config.json: id as text to {content, special}.
Status readAddedDecoder(const Json& config, TokenizerData& data) {
    if (!config.contains("added_tokens_decoder")) return {};
    for (const auto& [key, token] : config["added_tokens_decoder"].items()) {
        const bool digits = !key.empty() && key.size() < 10 &&
                            key.find_first_not_of("0123456789") == std::string::npos;
        if (!digits || textOf(token).empty())
            return fail(
                ErrorCode::TokConfig,
                format("tokenizer_config.json: added_tokens_decoder[\"{}\"] is not a token", key));
        const bool special = token.is_object() && token.contains("special") &&
                             token["special"].is_boolean() && token["special"].get<bool>();
        const auto id = static_cast<TokenId>(std::stoll(key));
        const TokenKind kind = special ? TokenKind::Control : TokenKind::UserDefined;
        LACUNA_TRY_STATUS(addPiece(data, id, textOf(token), kind));
        data.added.push_back({.id = id,
                              .takesSpaceBefore = flagAt(token, "lstrip"),
                              .takesSpaceAfter = flagAt(token, "rstrip"),
                              .wholeWordsOnly = flagAt(token, "single_word")});
    }
    return {};
}

/// Chooses the splitting rule of a vocabulary that does not name one.
Status chooseRule(const Json& config, TokenizerData& data) {
    const std::string tokenizerClass =
        config.contains("tokenizer_class") ? textOf(config["tokenizer_class"]) : std::string();
    if (tokenizerClass.starts_with("Qwen2Tokenizer")) {
        data.preTokenizer = "qwen2";
        data.normalizer = {{.kind = NormalizeStep::Kind::Nfc}};  // as that class does
    } else if (tokenizerClass.starts_with("GPT2Tokenizer") || tokenizerClass.empty()) {
        data.preTokenizer = "gpt-2";
    } else {
        return fail(
            ErrorCode::TokPreUnknown,
            format(
                "tokenizer_config.json: tokenizer_class is \"{}\" and there is no tokenizer.json; "
                "without one only Qwen2Tokenizer and GPT2Tokenizer are supported",
                tokenizerClass));
    }
    return {};
}

Result<TokenizerData> fromVocabAndMerges(const fs::path& folder) {
    TokenizerData data;
    LACUNA_TRY(const Json config, readOptional(folder / "tokenizer_config.json"));
    LACUNA_TRY_STATUS(readIdTable(folder / "vocab.json", TokenKind::Normal, data));
    LACUNA_TRY_STATUS(readMergeLines(folder / "merges.txt", data));
    if (isThere(folder / "added_tokens.json"))
        LACUNA_TRY_STATUS(readIdTable(folder / "added_tokens.json", TokenKind::Control, data));
    LACUNA_TRY_STATUS(readAddedDecoder(config, data));
    LACUNA_TRY_STATUS(chooseRule(config, data));
    LACUNA_TRY_STATUS(applyNeighbours(folder, data));
    return data;
}

/// The layout of OpenAI's GPT-2 release, also used for Llama 3's vocabulary. It names neither a
/// rule nor special tokens, but the two differ in size.
Result<TokenizerData> fromEncoderAndBpe(const fs::path& folder) {
    TokenizerData data;
    LACUNA_TRY_STATUS(readIdTable(folder / "encoder.json", TokenKind::Normal, data));
    LACUNA_TRY_STATUS(readMergeLines(folder / "vocab.bpe", data));
    const bool llama3 = data.pieces.size() >= kLlama3Pieces;
    data.preTokenizer = llama3 ? "llama-bpe" : "gpt-2";
    data.ignoreMerges = llama3;
    LACUNA_TRY_STATUS(applyNeighbours(folder, data));
    return data;
}

/// Reads SentencePiece's file. Classes that use it put bos before a text unless their configuration
/// disables it; T5's put eos after it.
Result<TokenizerData> fromSentencePiece(const fs::path& path) {
    LACUNA_TRY(const std::string bytes, readFile(path, kMaxFileBytes));
    LACUNA_TRY(TokenizerData data, tokenizerFromModel(bytes));
    LACUNA_TRY(const Json config, readOptional(path.parent_path() / "tokenizer_config.json"));
    const fs::path added = path.parent_path() / "added_tokens.json";
    if (isThere(added)) LACUNA_TRY_STATUS(readIdTable(added, TokenKind::Control, data));
    LACUNA_TRY_STATUS(readAddedDecoder(config, data));
    data.scores.resize(data.pieces.size());
    data.addBos = data.kind == TokenizerKind::SentencePieceBpe && data.bos.has_value();
    data.addEos = data.kind == TokenizerKind::Unigram && data.eos.has_value();
    LACUNA_TRY_STATUS(applyNeighbours(path.parent_path(), data));
    return data;
}

/// Reads BERT's list of pieces, one per line.
Result<TokenizerData> fromPieceLines(const fs::path& path) {
    LACUNA_TRY(const std::string text, readFile(path, kMaxFileBytes));
    LACUNA_TRY(const Json config, readOptional(path.parent_path() / "tokenizer_config.json"));
    TokenizerData data;
    data.kind = TokenizerKind::WordPiece;
    data.byteFallback = false;
    data.unknownText = "";
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view piece = std::string_view(text).substr(begin, end - begin);
        if (piece.ends_with('\r')) piece.remove_suffix(1);
        begin = end + 1;
        const bool named = piece.starts_with('[') && piece.ends_with(']') && piece.size() > 2;
        const auto id = static_cast<TokenId>(data.pieces.size());
        data.pieces.emplace_back(piece);
        data.kinds.push_back(TokenKind::Normal);
        const bool special = named && (piece == "[CLS]" || piece == "[SEP]" || piece == "[PAD]" ||
                                       piece == "[MASK]");
        if (special) data.kinds.back() = TokenKind::Control;
        if (piece == "[UNK]") {
            data.kinds.back() = TokenKind::Unknown;
            data.unknown = id;
        }
        if (piece == "[CLS]") data.prefixTokens = {id};
        if (piece == "[SEP]") data.suffixTokens = {id};
    }
    const bool lower = !config.contains("do_lower_case") || !config["do_lower_case"].is_boolean() ||
                       config["do_lower_case"].get<bool>();
    data.normalizer = {
        {.kind = NormalizeStep::Kind::Bert, .stripAccents = lower, .lowercase = lower}};
    LACUNA_TRY(data.splits, splitSteps(Json{{"type", "BertPreTokenizer"}}));
    data.addBos = !data.prefixTokens.empty();
    data.addEos = !data.suffixTokens.empty();
    if (data.addBos) data.bos = data.prefixTokens.front();
    if (data.addEos) data.eos = data.suffixTokens.front();
    LACUNA_TRY_STATUS(applyNeighbours(path.parent_path(), data));
    return data;
}

}  // namespace

std::optional<TokenKind> tokenKindFromNumber(std::int64_t number) {
    switch (number) {
        case 1:
            return TokenKind::Normal;
        case 2:
            return TokenKind::Unknown;
        case 3:
            return TokenKind::Control;
        case 4:
            return TokenKind::UserDefined;
        case 5:
            return TokenKind::Unused;
        case 6:
            return TokenKind::Byte;
        default:  // a number from a file, not one of our enumerators
            return std::nullopt;
    }
}

Result<TokenizerData> tokenizerFromFolder(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        if (path.extension() == ".model") return fromSentencePiece(path);
        if (path.extension() == ".txt") return fromPieceLines(path);
        return fromTokenizerJson(path);
    }
    if (isThere(path / "tokenizer.json")) return fromTokenizerJson(path / "tokenizer.json");
    for (const char* name : {"tokenizer.model", "spiece.model"})
        if (isThere(path / name)) return fromSentencePiece(path / name);
    if (isThere(path / "vocab.json")) return fromVocabAndMerges(path);
    if (isThere(path / "encoder.json")) return fromEncoderAndBpe(path);
    if (isThere(path / "vocab.txt")) return fromPieceLines(path / "vocab.txt");
    return fail(ErrorCode::NotFound,
                format("{}: no tokenizer here; looked for tokenizer.json, for tokenizer.model "
                       "and spiece.model, for vocab.json with merges.txt, for encoder.json with "
                       "vocab.bpe, and for vocab.txt",
                       path.string()));
}

}  // namespace lacuna
