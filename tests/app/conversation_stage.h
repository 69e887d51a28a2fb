#pragma once
/// \file
/// Conversations whose turns are answered by a scripted engine; base of the tests of the list, the
/// turns and the pins.

#include <gtest/gtest.h>

#include <QString>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_cache.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_pins.h"
#include "app/state/chat/conversation_turns.h"
#include "tests/app/core_application.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {

class ConversationStage : public ::testing::Test {
  protected:
    ConversationStage() {
        coreApplication();
        turns.setModelProblem({});
    }

    void ask(const char* text) {
        PromptDraft draft;
        draft.text = QString::fromUtf8(text);
        turns.submit(draft);
    }
    void answer(const char* text, FinishReason reason = FinishReason::Stop) {
        turns.onText(list.current(), QString::fromUtf8(text));
        TurnFinished finished;
        finished.conversation = ConversationId(list.current());
        finished.text = text;
        finished.reason = reason;
        turns.onTurnFinished(finished, TurnRow{});
    }
    [[nodiscard]] const ChatLine& last() { return list.currentModel().lines().back(); }

    FakeEngine engine;
    ConversationList list;
    ConversationPins pins{engine, list};
    ConversationTurns turns{engine, list, pins};
    ConversationCache cache{engine, list};
};

}  // namespace lacuna::app
