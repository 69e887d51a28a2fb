#pragma once
/// \file
/// The parts that pages are made of: layouts on the spacing scale, buttons, labels, form rows and
/// tables. GUI thread.

#include <QVector>
#include <initializer_list>
#include <optional>

#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

class QAbstractButton;
class QBoxLayout;
class QFormLayout;
class QFrame;
class QHBoxLayout;
class QLayout;
class QLineEdit;
class QPushButton;
class QTableView;
class QTableWidget;
class QVBoxLayout;

namespace lacuna::ui {

/// Layouts without margins. `parent` is null for a layout inside another one.
[[nodiscard]] QVBoxLayout* columnLayout(QWidget* parent = nullptr, int spacing = Spacing::unit);
[[nodiscard]] QHBoxLayout* rowLayout(QWidget* parent = nullptr, int spacing = Spacing::unit);
/// A row in which the first widget takes the free width.
QHBoxLayout* rowOf(QWidget* wide, std::initializer_list<QWidget*> others,
                   QWidget* parent = nullptr);
/// Layout of a whole page, with its margins.
[[nodiscard]] QVBoxLayout* pageLayout(QWidget* page);
/// Layout of a tab inside a page.
[[nodiscard]] QVBoxLayout* tabLayout(QWidget* tab);
[[nodiscard]] QFormLayout* formLayout(QWidget* parent);
/// Adds a row whose label names `buddy` and activates it; `field` is the widget or layout shown.
void addRow(QFormLayout* form, const QString& text, QWidget* buddy, QWidget* field);
void addRow(QFormLayout* form, const QString& text, QWidget* buddy, QLayout* field);
/// Label that activates `buddy`, for a second field of a row.
[[nodiscard]] QLabel* buddyLabel(const QString& text, QWidget* buddy);
/// A framed box of related controls.
[[nodiscard]] QFrame* infoBox(QWidget* parent);

/// A button with a tooltip; `name` is its name for assistive technology, by default the text.
[[nodiscard]] QPushButton* pushButton(const QString& text, const QString& tip, QWidget* parent,
                                      const QString& name = {});
/// Sets a tooltip and the same description for assistive technology.
void explain(QWidget* widget, const QString& name, const QString& tip);
/// The same with the button's text as its name.
void explain(QAbstractButton* button, const QString& tip);
[[nodiscard]] QLineEdit* lineEdit(const QString& name, const QString& tip, QWidget* parent);
/// Labels that wrap and whose text can be selected.
[[nodiscard]] QLabel* wrappedLabel(QWidget* parent, const QString& text = {});
[[nodiscard]] QLabel* wrappedCaption(QWidget* parent, const QString& text = {});
/// A title that shrinks, or the main sentence of a page.
[[nodiscard]] QLabel* titleLabel(QWidget* parent);
[[nodiscard]] QLabel* headlineLabel(QWidget* parent);
/// Shows a sentence in the colour of problems or in that of captions.
void showSentence(QLabel* label, const QString& text, bool problem);

/// Look and behaviour common to all tables; rows are as high as `roomy` or dense tables need.
enum class TableDensity { Roomy, Dense };
void styleTable(QTableView* table, const QString& name, TableDensity look = TableDensity::Roomy);
/// A table with these heads, whose first column takes the free width and is left-aligned.
[[nodiscard]] QTableWidget* textTable(const QStringList& heads, const QString& name,
                                      QWidget* parent);
/// Shows rows of texts; columns from `figures` on are right-aligned.
void fillTable(QTableWidget* table, const QVector<QStringList>& rows,
               std::optional<int> figures = std::nullopt);

}  // namespace lacuna::ui
