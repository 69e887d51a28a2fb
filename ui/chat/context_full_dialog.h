#pragma once
/// \file
/// Lists every option for when the context has no room for a question or for the rest of an answer,
/// each with its cost. Stays open next to the conversation. GUI thread.

#include <QDialog>
#include <QString>

class QLabel;

namespace lacuna::ui {

class ContextFullDialog final : public QDialog {
    Q_OBJECT

  public:
    /// Available options. A reason states why an option is disabled; empty if it is available.
    struct Choices {
        QString noShift;        ///< dropping the older half while generation continues
        int largerContext = 0;  ///< maximum context of the model in tokens; 0: already in use
        QString noNewerHalf;    ///< starting a new conversation with the newer half
    };

    explicit ContextFullDialog(QWidget* parent);
    /// `sentence` states what did not fit.
    void show(const QString& sentence, const Choices& choices);

  Q_SIGNALS:
    void shiftRequested();
    void largerContextRequested(int tokens);
    void newerHalfRequested();

  private:
    QLabel* m_sentence;
    QWidget* m_choices = nullptr;  ///< rebuilt each time
};

}  // namespace lacuna::ui
