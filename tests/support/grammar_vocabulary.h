#pragma once
/// \file
/// A vocabulary of all bytes and some longer texts across JSON token boundaries, and a random
/// generator of texts from it.

#include <cmath>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/random.h"
#include "engine/grammar/token_mask.h"
#include "engine/text/byte_alphabet.h"

namespace lacuna::test {

inline std::vector<std::string> jsonTexts() {
    std::vector<std::string> texts;
    for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
    for (const char* text : {"{\"",          "\":",
                             "\": ",         "\",",
                             "\", \"",       "\"}",
                             "\"]",          "},",
                             "}]",           "]}",
                             "}}",           "]]",
                             "[{",           "[\"",
                             ", ",           "{}",
                             "[]",           "true",
                             "false",        "null",
                             "12",           "00",
                             "-1",           "1.5",
                             ".25",          "e1",
                             "ab",           "cd",
                             "name",         "value",
                             "kind",         "left",
                             "right",        "id",
                             "extra",        "\xC3\xA9",
                             "\xE4\xB8\xAD", "\xF0\x9F\x98\x80",
                             "\xF0\x9F",     "\\\"",
                             "\\n",          "\\u00",
                             " \"",          "\n  ",
                             "foo",          "bar",
                             "red",          "tree",
                             "children",     "\": [",
                             "\": {\""})
        texts.emplace_back(text);
    return texts;
}

/// Returns a byte-level tokenizer of the texts with an end token after them.
inline Tokenizer tokenizerOf(const std::vector<std::string>& texts) {
    TokenizerData data;
    for (const std::string& text : texts) data.pieces.push_back(toByteAlphabet(text));
    data.pieces.emplace_back("<|end|>");
    data.kinds.assign(data.pieces.size(), TokenKind::Normal);
    data.kinds.back() = TokenKind::Control;
    data.preTokenizer = "gpt-2";
    data.eos = static_cast<TokenId>(texts.size());
    auto tokenizer = Tokenizer::create(std::move(data));
    LACUNA_REQUIRE(tokenizer.has_value(), "the vocabulary is sound");
    return std::move(*tokenizer);
}

/// Draws a text from random logits that increasingly favour closing what is open. The error has the
/// text that did not end within `most` tokens, or the step that failed.
inline Result<std::string> randomText(const std::shared_ptr<const Pushdown>& grammar,
                                      const std::shared_ptr<const VocabularyTries>& tries,
                                      std::uint64_t seed, int most = 3000) {
    TokenMask mask(grammar, tries);
    RandomStream random(seed, 0x7e87);
    const TokenTrie& trie = tries->inside();
    std::string out;
    for (int step = 0; step < most; ++step) {
        const auto allowed = mask.allowed();
        if (!allowed) return tl::unexpected<Error>(allowed.error());
        // Closing is favoured in every other group of eight steps, so that the others can satisfy
        // patterns by chance.
        const bool hurries = step >= 30 && step / 8 % 2 == 0;
        const double haste = hurries ? std::min(12.0, 0.1 * (step - 30)) : 0;
        TokenId best = -1;
        double highest = -1e9;
        for (TokenId id = 0; static_cast<std::size_t>(id) < trie.vocabulary(); ++id) {
            const double draw = random.normal();
            if (((*allowed)[static_cast<std::size_t>(id) / 64] >> (id % 64) & 1U) == 0) continue;
            const std::string_view text = trie.text(id);
            // "x", "a" and "c" satisfy the patterns of random schemas.
            const bool ends = text.empty() || text == "\"" || text == "\"}" || text == "x" ||
                              text == "a" || text == "c";
            const bool closes = text == "}" || text == "]" || text == "}}" || text == "]}";
            const double logit = 3 * draw + (ends ? haste : closes ? haste / 2 : 0);
            if (logit > highest) highest = logit, best = id;
        }
        LACUNA_TRY_STATUS(mask.accept(best));
        if (trie.text(best).empty()) return out;
        out += trie.text(best);
    }
    return fail(ErrorCode::Range, "unfinished: " + out);
}

}  // namespace lacuna::test
