#include <algorithm>
#include <limits>
#include <unordered_map>

#include "engine/base/string_format.h"
#include "engine/format/json_fields.h"
#include "engine/format/tokenizer_files.h"
#include "engine/format/tokenizer_json_steps.h"

// Model, added tokens and post_processor; tokenizer_json_steps reads the other parts. What would
// change tokens and is not built is refused by name.

namespace lacuna {
namespace {

constexpr std::size_t kMaxPieces = 1U << 20;
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";
// Of a piece that no merge makes: every other piece goes first.
constexpr double kNoMergeScore = -1.0e9;
constexpr std::size_t kMaxWord = 1024;  // characters

auto refuse(std::string_view field, std::string_view found, std::string_view expected) {
    return fail(ErrorCode::TokConfig,
                format("tokenizer.json: {} is \"{}\"; {}", field, found, expected));
}

Status setPiece(TokenizerData& data, std::int64_t id, const std::string& text) {
    if (id < 0 || id >= static_cast<std::int64_t>(kMaxPieces))
        return fail(ErrorCode::TokConfig,
                    format("tokenizer.json: the token \"{}\" has id {}; expected 0 to {}", text, id,
                           kMaxPieces - 1));
    const auto index = static_cast<std::size_t>(id);
    if (index >= data.pieces.size()) {
        data.pieces.resize(index + 1);
        data.kinds.resize(index + 1, TokenKind::Unused);
    }
    if (!data.pieces[index].empty() && data.pieces[index] != text)
        return fail(ErrorCode::TokConfig, format("tokenizer.json: id {} stands for \"{}\" and for "
                                                 "\"{}\"",
                                                 id, data.pieces[index], text));
    data.pieces[index] = text;
    data.kinds[index] = TokenKind::Normal;
    return {};
}

bool isBytePiece(std::string_view piece) {
    return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">");
}

/// What a piece of the model's own vocabulary is, by its spelling.
void setModelKind(const std::string& text, std::size_t index, TokenizerData& data) {
    if (data.byteFallback && isBytePiece(text)) data.kinds[index] = TokenKind::Byte;
}

/// A list of pairs of piece and score, in the order of the ids.
Status readScoredPieces(const Json& model, TokenizerData& data) {
    const Json& vocab = memberAt(model, "vocab");
    if (!vocab.is_array())
        return fail(ErrorCode::TokConfig,
                    "tokenizer.json: model.vocab is missing or no list of pieces with scores");
    for (const Json& pair : vocab) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
            return fail(ErrorCode::TokConfig,
                        format("tokenizer.json: model.vocab[{}] is no piece with a score",
                               data.pieces.size()));
        const std::string& text = pair[0].get_ref<const std::string&>();
        const std::size_t index = data.pieces.size();
        LACUNA_TRY_STATUS(setPiece(data, static_cast<std::int64_t>(index), text));
        data.scores.push_back(pair[1].get<double>());
        setModelKind(text, index, data);
    }
    const Json& unknown = memberAt(model, "unk_id");
    if (unknown.is_null()) return {};
    if (!unknown.is_number_unsigned() || unknown.get<std::uint64_t>() >= data.pieces.size())
        return fail(ErrorCode::TokSpecialId,
                    format("tokenizer.json: model.unk_id is {}; expected 0 to {}",
                           dumpJson(unknown), data.pieces.size() - 1));
    data.unknown = unknown.get<TokenId>();
    data.kinds[static_cast<std::size_t>(*data.unknown)] = TokenKind::Unknown;
    return {};
}

Status readPieces(const Json& model, TokenizerData& data) {
    const Json& vocab = memberAt(model, "vocab");
    if (!vocab.is_object())
        return fail(ErrorCode::TokConfig,
                    "tokenizer.json: model.vocab is missing or no object of text to id");
    for (const auto& [text, id] : vocab.items()) {
        if (!id.is_number_integer())
            return fail(ErrorCode::TokConfig,
                        format("tokenizer.json: the id of \"{}\" is no integer", text));
        LACUNA_TRY_STATUS(setPiece(data, id.get<std::int64_t>(), text));
        const auto index = id.get<std::size_t>();
        setModelKind(text, index, data);
        if (text == textAt(model, "unk_token")) {
            data.kinds[index] = TokenKind::Unknown;
            data.unknown = static_cast<TokenId>(index);
        }
    }
    return {};
}

Status readMerges(const Json& model, TokenizerData& data) {
    const Json& merges = memberAt(model, "merges");
    if (!merges.is_array())
        return fail(ErrorCode::TokConfig, "tokenizer.json: model.merges is missing or no list");
    for (const Json& merge : merges) {
        if (merge.is_string()) {
            data.merges.push_back(merge.get<std::string>());
            continue;
        }
        const bool pair =
            merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
        if (!pair || merge[0].get_ref<const std::string&>().find(' ') != std::string::npos)
            return fail(ErrorCode::TokMerges,
                        format("tokenizer.json: model.merges[{}] is no pair of pieces",
                               data.merges.size()));
        data.merges.push_back(format("{} {}", merge[0].get_ref<const std::string&>(),
                                     merge[1].get_ref<const std::string&>()));
    }
    return {};
}

/// SentencePiece keeps a score for each piece; this format keeps the merges that the scores gave.
/// Only a writer of other formats needs them.
std::vector<double> scoresFromMerges(const TokenizerData& data) {
    std::unordered_map<std::string, std::size_t> ids;
    for (std::size_t i = 0; i < data.pieces.size(); ++i) ids.emplace(data.pieces[i], i);
    std::vector<double> scores(data.pieces.size(), kNoMergeScore);
    for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
        std::string joined = data.merges[rank];
        const std::size_t space = joined.find(' ', 1);
        if (space != std::string::npos) joined.erase(space, 1);
        const auto found = ids.find(joined);
        if (found == ids.end()) continue;
        double& score = scores[found->second];
        if (score == kNoMergeScore) score = -static_cast<double>(rank);
    }
    return scores;
}

/// Whether the steps are SentencePiece's conventions and nothing else: U+2581 for spaces, perhaps
/// one before the text. Then the same vocabulary works in that format.
std::optional<bool> prefixOfPlainSpaces(const TokenizerData& data) {
    bool prefix = false;
    bool marked = false;
    for (const NormalizeStep& step : data.normalizer) {
        const bool before = step.kind == NormalizeStep::Kind::Prepend && step.content == kSpaceMark;
        const bool spaces = step.kind == NormalizeStep::Kind::Replace && step.pattern == R"(\ )" &&
                            step.content == kSpaceMark;
        if (!before && !spaces) return std::nullopt;
        prefix = prefix || before;
        marked = marked || spaces;
    }
    for (const SplitStep& step : data.splits) {
        if (step.kind == SplitStep::Kind::Pattern && step.pattern == R"(\ )" && marked) continue;
        if (step.kind != SplitStep::Kind::Metaspace || step.replacement != kSpaceMark)
            return std::nullopt;
        prefix = prefix || step.prepend != SplitStep::Prepend::Never;
        marked = true;
    }
    if (!marked) return std::nullopt;
    return prefix;
}

void setAddedKind(const Json& token, TokenKind before, TokenId id, TokenizerData& data) {
    const bool special = flagAt(token, "special");
    TokenKind& kind = data.kinds[static_cast<std::size_t>(id)];
    if (data.unknown == id) {
        kind = TokenKind::Unknown;
        if (special) data.unknownText = "";
    } else if (before == TokenKind::Byte) {
        kind = before;  // text that no piece spells must still find it
    } else {
        kind = special ? TokenKind::Control : TokenKind::UserDefined;
    }
    data.added.push_back({.id = id,
                          .takesSpaceBefore = flagAt(token, "lstrip"),
                          .takesSpaceAfter = flagAt(token, "rstrip"),
                          .wholeWordsOnly = flagAt(token, "single_word"),
                          .normalized = flagAt(token, "normalized")});
}

Status readAdded(const Json& document, TokenizerData& data) {
    const Json& list = memberAt(document, "added_tokens");
    if (!list.is_array()) return {};
    for (const Json& token : list) {
        const Json& id = memberAt(token, "id");
        if (!id.is_number_integer() || !memberAt(token, "content").is_string())
            return fail(ErrorCode::TokConfig,
                        "tokenizer.json: an added token has no integer id or no content");
        const auto number = id.get<std::int64_t>();
        const bool known = number >= 0 && number < static_cast<std::int64_t>(data.kinds.size());
        const TokenKind before =
            known ? data.kinds[static_cast<std::size_t>(number)] : TokenKind::Normal;
        LACUNA_TRY_STATUS(setPiece(data, number, textAt(token, "content")));
        setAddedKind(token, before, static_cast<TokenId>(number), data);
    }
    return {};
}

std::optional<TokenId> idOf(const TokenizerData& data, std::string_view text) {
    const auto found = std::find(data.pieces.begin(), data.pieces.end(), text);
    if (text.empty() || found == data.pieces.end()) return std::nullopt;
    return static_cast<TokenId>(found - data.pieces.begin());
}

/// The ids of one special token of a template.
std::vector<TokenId> templateIds(const Json& step, const std::string& name,
                                 const TokenizerData& data) {
    std::vector<TokenId> ids;
    const Json& listed = memberAt(memberAt(memberAt(step, "special_tokens"), name.c_str()), "ids");
    if (listed.is_array())
        for (const Json& id : listed)
            if (id.is_number_unsigned() && id.get<std::uint64_t>() < data.pieces.size())
                ids.push_back(id.get<TokenId>());
    if (!ids.empty()) return ids;
    if (const auto id = idOf(data, name)) ids.push_back(*id);
    return ids;
}

void readTemplate(const Json& step, TokenizerData& data) {
    const Json& single = memberAt(step, "single");
    if (!single.is_array()) return;
    bool afterText = false;
    for (const Json& item : single) {
        if (!memberAt(item, "Sequence").is_null()) {
            afterText = true;
            continue;
        }
        const std::string name = textAt(memberAt(item, "SpecialToken"), "id");
        auto& edge = afterText ? data.suffixTokens : data.prefixTokens;
        for (const TokenId id : templateIds(step, name, data)) edge.push_back(id);
    }
}

/// ["text", id] of BertProcessing and RobertaProcessing.
void readPair(const Json& pair, std::vector<TokenId>& edge, const TokenizerData& data) {
    if (!pair.is_array() || pair.size() != 2 || !pair[1].is_number_unsigned()) return;
    if (pair[1].get<std::uint64_t>() < data.pieces.size()) edge = {pair[1].get<TokenId>()};
}

/// Tokens that stand before and after every text.
Status readEdges(const Json& part, TokenizerData& data) {
    for (const Json* step : stepsAt(part, "processors")) {
        const std::string type = textAt(*step, "type");
        if (type == "TemplateProcessing") {
            readTemplate(*step, data);
        } else if (type == "BertProcessing" || type == "RobertaProcessing") {
            readPair(memberAt(*step, "cls"), data.prefixTokens, data);
            readPair(memberAt(*step, "sep"), data.suffixTokens, data);
        } else if (type != "ByteLevel") {
            return refuse("post_processor", type,
                          "known are TemplateProcessing, BertProcessing, RobertaProcessing, "
                          "ByteLevel and Sequence");
        }
    }
    data.addBos = !data.prefixTokens.empty();
    data.addEos = !data.suffixTokens.empty();
    if (data.addBos) data.bos = data.prefixTokens.front();
    if (data.addEos) data.eos = data.suffixTokens.back();
    return {};
}

/// Files of before 2021 do not say it.
std::string modelType(const Json& model) {
    if (memberAt(model, "type").is_string()) return textAt(model, "type");
    if (memberAt(model, "merges").is_array()) return "BPE";
    if (memberAt(model, "vocab").is_array()) return "Unigram";
    return memberAt(model, "max_input_chars_per_word").is_null() ? "" : "WordPiece";
}

bool isByteLevel(const Json& document) {
    const auto has = [&](const char* part, const char* list) {
        const auto steps = stepsAt(memberAt(document, part), list);
        return std::ranges::any_of(
            steps, [](const Json* step) { return textAt(*step, "type") == "ByteLevel"; });
    };
    return has("pre_tokenizer", "pretokenizers") || has("normalizer", "normalizers") ||
           has("decoder", "decoders");
}

Status readBpe(const Json& document, TokenizerData& data) {
    const Json& model = memberAt(document, "model");
    data.kind = isByteLevel(document) ? TokenizerKind::ByteLevelBpe : TokenizerKind::CharacterBpe;
    data.byteFallback = flagAt(model, "byte_fallback");
    data.ignoreMerges = flagAt(model, "ignore_merges");
    data.bpe.fuseUnknown = flagAt(model, "fuse_unk");
    data.bpe.continuingPrefix = textAt(model, "continuing_subword_prefix");
    data.bpe.wordSuffix = textAt(model, "end_of_word_suffix");
    LACUNA_TRY_STATUS(readPieces(model, data));
    return readMerges(model, data);
}

Status readWordPiece(const Json& model, TokenizerData& data) {
    data.kind = TokenizerKind::WordPiece;
    data.byteFallback = false;
    if (memberAt(model, "continuing_subword_prefix").is_string())
        data.wordPiece.continuingPrefix = textAt(model, "continuing_subword_prefix");
    const Json& longest = memberAt(model, "max_input_chars_per_word");
    if (longest.is_number_unsigned())
        data.wordPiece.longestWord = std::min<std::size_t>(longest.get<std::size_t>(), kMaxWord);
    return readPieces(model, data);
}

Status readModel(const Json& document, TokenizerData& data) {
    const Json& model = memberAt(document, "model");
    const std::string type = modelType(model);
    if (type == "BPE") return readBpe(document, data);
    if (type == "WordPiece") return readWordPiece(model, data);
    if (type != "Unigram")
        return refuse("model.type", type, "built here are BPE, Unigram and WordPiece");
    data.kind = TokenizerKind::Unigram;
    data.byteFallback = flagAt(model, "byte_fallback");
    return readScoredPieces(model, data);
}

}  // namespace

Result<TokenizerData> tokenizerFromJson(const Json& document) {
    TokenizerData data;
    LACUNA_TRY_STATUS(readModel(document, data));
    LACUNA_TRY_STATUS(readAdded(document, data));
    if (data.kind == TokenizerKind::Unigram) data.scores.resize(data.pieces.size());
    LACUNA_TRY(data.normalizer, normalizeSteps(memberAt(document, "normalizer")));
    LACUNA_TRY(data.splits, splitSteps(memberAt(document, "pre_tokenizer")));
    LACUNA_TRY(data.decoder, decodeSteps(memberAt(document, "decoder")));
    // Without a decoder the reference puts a space between tokens, which nobody wants to read.
    const auto prefix = prefixOfPlainSpaces(data);
    data.addSpacePrefix = prefix.value_or(false);
    if (data.kind == TokenizerKind::CharacterBpe && prefix) data.scores = scoresFromMerges(data);
    LACUNA_TRY_STATUS(readEdges(memberAt(document, "post_processor"), data));
    return data;
}

}  // namespace lacuna
