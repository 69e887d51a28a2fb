#include "engine/grammar/classed_vocabulary.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace lacuna {
namespace {

/// The tree of the same tokens with each byte replaced by its class; there are at most 256.
TokenTrie classed(const ByteClasses& classes, const TokenTrie& tree, WorkBudget* work) {
    std::vector<std::string> texts(tree.vocabulary());
    for (const TokenId id : tree.tokens()) {
        if (work != nullptr && !work->spend(tree.text(id).size())) break;
        std::string& text = texts[static_cast<std::size_t>(id)];
        text = tree.text(id);
        for (char& c : text) c = static_cast<char>(classes.of[static_cast<std::uint8_t>(c)]);
    }
    return TokenTrie(std::move(texts), work);
}

}  // namespace

ClassedVocabulary::ClassedVocabulary(std::shared_ptr<const Pushdown> grammar,
                                     std::shared_ptr<const VocabularyTries> tries, WorkBudget* work)
    : grammar_(std::move(grammar)),
      tries_(std::move(tries)),
      inside_(classed(grammar_->classes(), tries_->inside(), work)),
      broad_(classed(grammar_->broadClasses(), tries_->inside(), work)) {
    if (&tries_->atStart() != &tries_->inside())
        start_.emplace(classed(grammar_->classes(), tries_->atStart(), work));
}

Result<std::shared_ptr<const ClassedVocabulary>> ClassedVocabulary::create(
    std::shared_ptr<const Pushdown> grammar, std::shared_ptr<const VocabularyTries> tries,
    StopAsked stop) {
    WorkBudget work(std::numeric_limits<std::uint64_t>::max(), std::move(stop));
    auto made =
        std::make_shared<const ClassedVocabulary>(std::move(grammar), std::move(tries), &work);
    LACUNA_TRY_STATUS(work.status(ErrorCode::Internal, ""));
    return made;
}

}  // namespace lacuna
