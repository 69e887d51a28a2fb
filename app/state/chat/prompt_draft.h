#pragma once
/// \file
/// User input that has not been sent yet. Plain value.

#include <QString>
#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {

/// User input: the typed text and, separately, attached or pasted text.
struct PromptDraft {
    QString text;
    QString attachmentName;
    QString attachmentText;
    QVector<AttachedPart> parts = {};  ///< parts of the attachment if it contains several texts;
                                       ///< otherwise empty
    [[nodiscard]] bool isEmpty() const {
        return text.trimmed().isEmpty() && attachmentText.isEmpty();
    }
};

}  // namespace lacuna::app
