#include "engine/session/thought_form.h"

#include <gtest/gtest.h>

#include "engine/format/load_model.h"
#include "tests/support/fake_model.h"

namespace lacuna {
namespace {

using Begins = ThoughtStream::Begins;

std::shared_ptr<const LoadedModel> modelWith(const char* text) {
    test::FakeModelOptions options;
    options.templateText = text;
    return test::fakeLoadedModel(options);
}

TEST(ThoughtForm, template_decidesHowAnswersBegin) {
    EXPECT_EQ(thoughtFormOf(nullptr).begins, Begins::Open) << "the engine is unknown";
    const struct {
        const char* text;
        Begins begins;
        bool control;
    } rows[] = {
        {"{{ messages[0].content }}", Begins::InAnswer, false},
        {"{{ messages[0].content.split('</think>')[-1] }}", Begins::Open, false},
        {"{{ messages[0].content.split('</think>')[-1] }}<think>\n", Begins::InThought, false},
        {"{{ messages[0].content }}<|channel>thought", Begins::Open, true},
        {"{{ messages[0].content }}{% if false %}<|channel|>analysis<|message|>{% endif %}",
         Begins::Channels, true}};
    for (const auto& row : rows) {
        const auto model = modelWith(row.text);
        const ThoughtForm form = thoughtFormOf(model);
        EXPECT_EQ(form.begins, row.begins) << row.text;
        EXPECT_EQ(form.markText != nullptr, row.control) << row.text;
    }
}

TEST(ThoughtForm, markText_isThatOfControlTokensWhileTheModelIsLoaded) {
    auto model = modelWith("{{ messages[0].content }}<|channel>thought");
    const ThoughtForm form = thoughtFormOf(model);
    constexpr TokenId kStart = 256, kEnd = 257;
    EXPECT_EQ(form.markText(kStart), "<|im_start|>");
    EXPECT_EQ(form.markText(kEnd), "") << "it ends the answer";
    EXPECT_EQ(form.markText(65), "") << "a letter";
    model.reset();
    EXPECT_EQ(form.markText(kStart), "") << "the form does not keep the model in memory";
}

}  // namespace
}  // namespace lacuna
