// Token facts passed to compaction, for the vocabularies of the bundled models.

#include "engine/generate/compaction_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/bundled_models.h"

namespace lacuna::test {
namespace {

/// Returns one letter per token of the text: w contains a word, . is structure, + joins words.
std::string formsOf(const LoadedModel& model, std::string_view text) {
    const CompactorModel facts = compactorModel(model, 0, {});
    std::vector<TokenForm> forms;
    const auto tokens = model.tokenizer.encode(text, {.special = SpecialText::Parse}).value();
    for (const TokenId token : tokens) forms.push_back(facts.form(token));
    const std::vector<bool> structural = structuralPositions(forms);
    std::string out;
    for (std::size_t at = 0; at < forms.size(); ++at)
        out += forms[at].word ? 'w' : (structural[at] ? '.' : '+');
    return out;
}

TEST(CompactionInputs, tokenForms_distinguishWordsPunctuationAndMarkup) {
    for (const auto& path : {pilotModel(), boxModel()}) {
        const auto model = loadModel(path).value();
        EXPECT_EQ(formsOf(*model, "Yes, no."), "w.w.") << path;
        EXPECT_EQ(formsOf(*model, "<|im_end|>\n\n---").find_first_of("w+"), std::string::npos);
        // A partial character may belong to a letter; the name of a control token is not a word.
        EXPECT_EQ(formsOf(*model, "\xd7\x90").find('.'), std::string::npos) << path;
        // The blank before the number may be a separate token.
        const std::string number = formsOf(*model, "code 47,11-22 here");
        EXPECT_EQ(std::count(number.begin(), number.end(), '+'), 2) << number;
        EXPECT_LE(std::count(number.begin(), number.end(), '.'), 1) << number;
    }
}

TEST(CompactionInputs, inputsFromTheShapeOnly_haveNoTokenForms) {
    const auto model = loadModel(pilotModel()).value();
    EXPECT_FALSE(compactorModel(model->spec, 0, {}).form);
    EXPECT_TRUE(compactorModel(*model, 0, {}).form);
}

}  // namespace
}  // namespace lacuna::test
