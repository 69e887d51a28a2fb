#include "engine/format/tokenizer_files.h"

#include <bit>
#include <optional>

#include "engine/base/string_format.h"

// A minimal reader of protocol buffers for this format: a record is a list of fields, each a key
// (number and wire type) with a value. Unknown fields are skipped, as the format requires.

namespace lacuna {
namespace {

constexpr std::size_t kMaxPieces = 1U << 20;

struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;  ///< value of a varint or of four or eight bytes
    std::string_view bytes;   ///< bytes of a text or record
};

auto damaged(std::string_view what) {
    return fail(ErrorCode::TokConfig, format("tokenizer.model: {}", what));
}

class FieldReader {
  public:
    explicit FieldReader(std::string_view record) : rest_(record) {}
    [[nodiscard]] bool atEnd() const { return rest_.empty(); }
    [[nodiscard]] Result<Field> next() {
        LACUNA_TRY(const std::uint64_t key, varint());
        Field field{.number = key >> 3, .value = 0, .bytes = {}};
        switch (key & 7U) {
            case 0: {
                LACUNA_TRY(field.value, varint());
                return field;
            }
            case 1: {
                LACUNA_TRY(field.value, fixed(8));
                return field;
            }
            case 2: {
                LACUNA_TRY(const std::uint64_t length, varint());
                if (length > rest_.size()) return damaged("a field is longer than the file");
                field.bytes = rest_.substr(0, length);
                rest_.remove_prefix(length);
                return field;
            }
            case 5: {
                LACUNA_TRY(field.value, fixed(4));
                return field;
            }
            default:  // groups and invalid types
                return damaged(
                    format("a field of wire type {}, which is not used there", key & 7U));
        }
    }

  private:
    Result<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80) return value;
        }
        return damaged("a number does not end");
    }
    Result<std::uint64_t> fixed(std::size_t bytes) {
        if (rest_.size() < bytes) return damaged("the file ends inside a number");
        std::uint64_t value = 0;
        for (std::size_t i = bytes; i-- > 0;)
            value = (value << 8) | static_cast<unsigned char>(rest_[i]);
        rest_.remove_prefix(bytes);
        return value;
    }
    std::string_view rest_;
};

Result<TokenKind> kindOf(std::uint64_t type) {
    if (const auto kind =
            type <= 6 ? tokenKindFromNumber(static_cast<std::int64_t>(type)) : std::nullopt)
        return *kind;
    return damaged(format("a piece of type {}; expected 1 to 6", type));
}

/// SentencePiece: piece 1, score 2, type 3.
Status readPiece(std::string_view record, TokenizerData& data) {
    if (data.pieces.size() >= kMaxPieces) return damaged(format("more than {} pieces", kMaxPieces));
    std::string text;
    float score = 0;
    TokenKind kind = TokenKind::Normal;
    for (FieldReader fields(record); !fields.atEnd();) {
        LACUNA_TRY(const Field field, fields.next());
        if (field.number == 1) text = field.bytes;
        if (field.number == 2)
            score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        if (field.number == 3) {
            LACUNA_TRY(kind, kindOf(field.value));
        }
    }
    data.pieces.push_back(std::move(text));
    data.scores.push_back(static_cast<double>(score));
    data.kinds.push_back(kind);
    return {};
}

/// The fields of TrainerSpec that matter to a reader, with the format's defaults. Ids below 0 =
/// none.
struct Trainer {
    std::uint64_t model = 1;
    bool spaceAsSuffix = false;
    bool byteFallback = false;
    std::int32_t unknown = 0;
    std::int32_t bos = 1;
    std::int32_t eos = 2;
    std::int32_t pad = -1;
    std::string unknownSurface = " \xE2\x81\x87 ";
};

Result<Trainer> readTrainer(std::string_view record) {
    Trainer trainer;
    for (FieldReader fields(record); !fields.atEnd();) {
        LACUNA_TRY(const Field field, fields.next());
        const auto id = static_cast<std::int32_t>(static_cast<std::uint32_t>(field.value));
        if (field.number == 3) trainer.model = field.value;
        if (field.number == 24) trainer.spaceAsSuffix = field.value != 0;
        if (field.number == 35) trainer.byteFallback = field.value != 0;
        if (field.number == 40) trainer.unknown = id;
        if (field.number == 41) trainer.bos = id;
        if (field.number == 42) trainer.eos = id;
        if (field.number == 43) trainer.pad = id;
        if (field.number == 44) trainer.unknownSurface = field.bytes;
    }
    return trainer;
}

/// NormalizerSpec: charsmap 2, add_dummy_prefix 3, remove_extra_whitespaces 4, escape 5.
Status readNormalizer(std::string_view record, TokenizerData& data) {
    for (FieldReader fields(record); !fields.atEnd();) {
        LACUNA_TRY(const Field field, fields.next());
        if (field.number == 2) data.sentencePiece.charsmap = field.bytes;
        if (field.number == 3) data.addSpacePrefix = field.value != 0;
        if (field.number == 4) data.sentencePiece.removeExtraSpaces = field.value != 0;
        if (field.number == 5 && field.value == 0)
            return damaged("escape_whitespaces is off, which is not supported");
    }
    return {};
}

Status apply(const Trainer& trainer, TokenizerData& data) {
    if (trainer.model != 1 && trainer.model != 2)
        return damaged(
            format("model_type is {}; supported are 1 (unigram) and 2 (BPE)", trainer.model));
    data.kind = trainer.model == 1 ? TokenizerKind::Unigram : TokenizerKind::SentencePieceBpe;
    data.byteFallback = trainer.byteFallback;
    data.sentencePiece.spaceAsSuffix = trainer.spaceAsSuffix;
    data.unknownText = trainer.unknownSurface;
    const auto named = [&](std::int32_t id, TokenKind kind) -> std::optional<TokenId> {
        const auto index = static_cast<std::size_t>(id);
        if (id < 0 || index >= data.kinds.size() || data.kinds[index] != kind) return std::nullopt;
        return static_cast<TokenId>(id);
    };
    data.unknown = named(trainer.unknown, TokenKind::Unknown);
    for (std::size_t i = 0; i < data.kinds.size() && !data.unknown; ++i)
        if (data.kinds[i] == TokenKind::Unknown) data.unknown = static_cast<TokenId>(i);
    data.bos = named(trainer.bos, TokenKind::Control);
    data.eos = named(trainer.eos, TokenKind::Control);
    data.pad = named(trainer.pad, TokenKind::Control);
    return {};
}

}  // namespace

Result<TokenizerData> tokenizerFromModel(std::string_view bytes) {
    TokenizerData data;
    SentencePieceRules& rules = data.sentencePiece;
    rules.used = true;
    rules.removeExtraSpaces = true;  // the format's default
    rules.freezeUserDefined = true;
    data.singleScores = true;
    Trainer trainer;
    for (FieldReader fields(bytes); !fields.atEnd();) {
        LACUNA_TRY(const Field field, fields.next());
        if (field.number == 1) LACUNA_TRY_STATUS(readPiece(field.bytes, data));
        if (field.number == 2) {
            LACUNA_TRY(trainer, readTrainer(field.bytes));
        }
        if (field.number == 3) LACUNA_TRY_STATUS(readNormalizer(field.bytes, data));
    }
    if (data.pieces.empty()) return damaged("no pieces; is this a SentencePiece model?");
    LACUNA_TRY_STATUS(apply(trainer, data));
    return data;
}

}  // namespace lacuna
