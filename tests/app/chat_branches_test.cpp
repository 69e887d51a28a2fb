// Random edits, switches and deletions: no line is lost or duplicated, and every branch stays
// reachable.

#include "app/state/chat/chat_branches.h"

#include <gtest/gtest.h>

#include <QSet>
#include <random>

#include "app/state/chat/chat_model.h"

namespace lacuna::app {
namespace {

ChatLine lineOf(MessageRole speaker, const QString& text) {
    ChatLine line;
    line.speaker = speaker;
    line.text = text;
    return line;
}

/// Ids of all lines, each of which must occur once.
QSet<qint64> idsIn(const ChatModel& model) {
    QSet<qint64> ids;
    for (const ChatLine& line : model.lines()) ids.insert(line.id);
    for (const HiddenLine& one : model.hidden()) ids.insert(one.line.id);
    EXPECT_EQ(ids.size(), model.lines().size() + model.hidden().size());
    return ids;
}

TEST(ChatBranches, randomEdits_keepEveryLineReachable) {
    std::mt19937 random(7);
    const auto upTo = [&random](int most) {
        return most <= 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(most));
    };
    for (int round = 0; round < 40; ++round) {
        ChatModel model;
        if (round % 2 == 0) model.append(lineOf(MessageRole::System, QStringLiteral("system")));
        const int first = model.rowCount();
        QSet<qint64> all = idsIn(model);
        for (int step = 0; step < 60; ++step) {
            const int row = first + upTo(model.rowCount() - first);
            switch (upTo(5)) {
                case 0:
                case 1:
                    all.insert(model.append(
                        lineOf(MessageRole::Person, QStringLiteral("line %1").arg(step))));
                    break;
                case 2:  // an edit
                    model.hideFrom(row);
                    all.insert(model.append(
                        lineOf(MessageRole::Person, QStringLiteral("edit %1").arg(step))));
                    break;
                case 3:
                    if (row < model.rowCount())
                        model.showBranch(row, 1 + upTo(model.branchAt(row).count));
                    break;
                default:
                    if (row < model.rowCount() && model.branchAt(row).count > 1) {
                        const qint64 id = model.line(row).id;
                        const auto gone = model.removeBranchAt(row);
                        EXPECT_FALSE(idsIn(model).contains(id));
                        model.releaseBranch(gone, id);
                        EXPECT_EQ(model.line(row).id, id) << "shown again where it stood";
                    }
                    break;
            }
            ASSERT_EQ(idsIn(model), all);
            int parting = -1;
            for (int at = 0; at < model.rowCount(); ++at)
                if (model.branchAt(at).count > 1) parting = at;
            ASSERT_EQ(lastBranching(model.lines(), model.hidden()), parting);
        }
        for (const qint64 id : all) {
            ASSERT_TRUE(model.showLine(id));
            const auto is = [id](const ChatLine& line) { return line.id == id; };
            EXPECT_TRUE(std::any_of(model.lines().begin(), model.lines().end(), is));
            ASSERT_EQ(idsIn(model), all);
        }
    }
}

TEST(ChatBranches, restoredLines_withMissingOrDuplicateIds_getUniqueIds) {
    ChatModel model;
    ChatLine one = lineOf(MessageRole::Person, QStringLiteral("a"));
    one.id = 4;
    model.setLines({one, one, lineOf(MessageRole::Model, QStringLiteral("b"))}, {{one, 0}});
    EXPECT_EQ(idsIn(model).size(), 4);
    EXPECT_EQ(model.line(0).id, 4);
}

}  // namespace
}  // namespace lacuna::app
