#pragma once
/// \file
/// Helpers for a consistent look of widgets: style sheet roles, names for assistive technology.

#include <QHash>
#include <QLabel>
#include <QString>
#include <QStringList>
#include <QWidget>

#include "app/state/telemetry/memory_verdict.h"
#include "app/state/view_types.h"

class QAbstractItemView;
class QProgressBar;

namespace lacuna::ui {

/// Sets a style sheet role of the widget ("secondary", "primary", "quiet", "notice", ...).
void setRole(QWidget* widget, const QString& role);
/// Role of a setting's change: pending, applied, rejected.
[[nodiscard]] QString changeRole(app::ChangeState state);
/// Role of the effect of compactions on the answers.
[[nodiscard]] QString effectRole(app::AnswerEffect effect);
/// Sets the name and, if given, the description for assistive technology.
void setAccessible(QWidget* widget, const QString& name, const QString& description = {});
/// Creates a label that shows its text verbatim. Qt interprets a text with tags as a document and
/// loads its resources, and names and sentences come from files; so every label is created here.
[[nodiscard]] QLabel* plainLabel(const QString& text, QWidget* parent);
/// A thin progress bar without text; `width` 0: as wide as the layout permits.
[[nodiscard]] QProgressBar* shareBar(int width, QWidget* parent);
/// `share` is 0..1; negative: busy with unknown progress.
void showShare(QProgressBar& bar, double share);
/// Separator between the facts of one line.
[[nodiscard]] QString factSeparator();
/// A plain-text caption in secondary colour and small type.
[[nodiscard]] QLabel* captionLabel(const QString& text, QWidget* parent);
/// A plain-text label that shrinks: if a line has no room for it, it shows a shorter form or an
/// ellipsis, and it never widens the line. text() stays complete.
class ElidingLabel final : public QLabel {
  public:
    explicit ElidingLabel(QWidget* parent) : QLabel(parent) {}
    /// Sets shorter forms of the text, longest first. An empty last form hides the text instead of
    /// cutting it.
    void setForms(const QStringList& longestFirst);
    /// Skips the forms before this one, to leave room for other labels.
    void beginWith(qsizetype form);
    [[nodiscard]] const QStringList& forms() const { return m_forms; }
    /// Width of a form including margins.
    [[nodiscard]] int widthOf(qsizetype form) const;
    /// The displayed text, with an ellipsis if no form fits.
    [[nodiscard]] QString shown() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QStringList m_forms;  ///< empty: the text is the only form
    qsizetype m_first = 0;
};
[[nodiscard]] ElidingLabel* shrinkingLabel(QWidget* parent);
/// A shrinking label in secondary colour and small type.
[[nodiscard]] ElidingLabel* shrinkingCaption(QWidget* parent);
/// A plain-text caption of several lines whose height never decreases, so the widgets below stay in
/// position when the text becomes shorter or disappears.
class SteadyCaption final : public QLabel {
  public:
    /// Reserves `lines` from the start.
    SteadyCaption(int lines, QWidget* parent);
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  private:
    int m_lines;
    mutable QHash<int, int> m_tallest;  ///< greatest height by width
};
/// Tool tip that shows the text verbatim in lines no wider than a chart. Every tool tip must be
/// created here. Long texts are cut.
[[nodiscard]] QString tipText(const QString& text);
/// Truncates the text to `most` characters, the last one an ellipsis; characters that break or
/// reorder a line (controls, bidirectional overrides) are shown as U+FFFD.
[[nodiscard]] QString oneLine(const QString& text, qsizetype most);
/// Maximum number of characters of a name or title in a line of the window.
constexpr qsizetype kMaxTitleLength = 200;
/// Sets the text that an empty list or table displays.
QLabel* showEmptyHint(QAbstractItemView& view, const QString& text);
/// A horizontal hairline.
[[nodiscard]] QWidget* hairline(QWidget* parent);

}  // namespace lacuna::ui
