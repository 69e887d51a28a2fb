#include "engine/grammar/classed_vocabulary.h"

#include <string>
#include <utility>
#include <vector>

namespace lacuna {
namespace {

/// The tree of the same tokens with each byte replaced by its class; there are at most 256.
TokenTrie classed(const ByteClasses& classes, const TokenTrie& tree) {
    std::vector<std::string> texts(tree.vocabulary());
    for (const TokenId id : tree.tokens()) {
        std::string& text = texts[static_cast<std::size_t>(id)];
        text = tree.text(id);
        for (char& c : text) c = static_cast<char>(classes.of[static_cast<std::uint8_t>(c)]);
    }
    return TokenTrie(std::move(texts));
}

}  // namespace

ClassedVocabulary::ClassedVocabulary(std::shared_ptr<const Pushdown> grammar,
                                     std::shared_ptr<const VocabularyTries> tries)
    : grammar_(std::move(grammar)),
      tries_(std::move(tries)),
      inside_(classed(grammar_->classes(), tries_->inside())),
      broad_(classed(grammar_->broadClasses(), tries_->inside())) {
    if (&tries_->atStart() != &tries_->inside())
        start_.emplace(classed(grammar_->classes(), tries_->atStart()));
}

}  // namespace lacuna
