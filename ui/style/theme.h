#pragma once
/// \file
/// Colours, spacing and fonts of the window, and their change at run time. A Theme is an immutable
/// value; two are built in. ThemeSource owns the active one and notifies of changes; the program
/// creates it and passes it to every widget with custom painting. Contrast of text on every surface
/// is at least 4.5:1 in both palettes (tests/ui/theme_test.cpp).

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>

#include "app/state/number_format.h"

class QApplication;

namespace lacuna::ui {

enum class ThemeKind { Light, Dark };
/// The user's choice.
enum class ThemeChoice { System, Light, Dark };

enum class FontRole {
    Base,      ///< 10 pt
    Small,     ///< 8.5 pt: axis labels, units, figure strips
    Headline,  ///< 13 pt semibold: main figure of a panel
    Title,     ///< 10 pt semibold: panel titles
    Mono,      ///< code and logs
};

/// The spacing scale: every distance between widgets is one of these, in px.
struct Spacing {
    static constexpr int hairWidth = 1;
    static constexpr int half = 4;   ///< between lines of text, inside controls
    static constexpr int unit = 8;   ///< between widgets
    static constexpr int wide = 16;  ///< around a page, between columns
};

/// Series colours (Okabe-Ito). Each is paired with a dash pattern or marker.
struct SeriesColours {
    QColor logical;     ///< grey, dashed
    QColor live;        ///< accent, solid
    QColor allocated;   ///< orange, thin
    QColor budget;      ///< green, dashed
    QColor trigger;     ///< red, dotted
    QColor codes;       ///< accent, thin
    QColor scales;      ///< reddish purple
    QColor exact;       ///< sky blue
    QColor saved;       ///< green at 10 % alpha, area
    QColor ok;          ///< bluish green
    QColor failed;      ///< vermilion
    QColor skipped;     ///< grey
    QColor rejected;    ///< reddish purple
    QColor decode;      ///< accent
    QColor prefill;     ///< orange
    QColor firstToken;  ///< reddish purple, markers
    QColor causeBudget, causeManual, causeConfig, causeLimit;
};

struct Theme {
    ThemeKind kind = ThemeKind::Light;
    QColor background;  ///< window background
    QColor surface;     ///< surface of chat, charts and inputs
    QColor raised;      ///< faint surface: the user's messages, hovered rows
    QColor code;        ///< surface of code blocks
    QColor text;
    QColor secondary;  ///< captions, units, figures
    QColor hairline;
    QColor control;  ///< borders of inputs, 3:1 against the surface
    QColor accent;
    QColor accentText;  ///< text on the accent
    QColor pending;     ///< text and icon of a pending change (amber)
    QColor pendingSurface;
    QColor good;  ///< text and icon of an applied change
    QColor goodSurface;
    QColor bad;  ///< text and icon of rejections and failures
    QColor badSurface;
    SeriesColours series;

    [[nodiscard]] static Theme light();
    [[nodiscard]] static Theme dark();
    [[nodiscard]] static Theme of(ThemeKind kind);
    /// Font of the given role, with tabular digits if the system font has them.
    [[nodiscard]] static QFont font(FontRole role);
};

/// WCAG 2 contrast ratio of two opaque colours, 1..21.
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);

/// Sets style, palette, base font and style sheet of the application.
void applyTheme(QApplication& application, const Theme& theme);

/// Owns the active theme. Lives on the GUI thread.
class ThemeSource final : public QObject {
    Q_OBJECT

  public:
    explicit ThemeSource(ThemeChoice choice = ThemeChoice::System, QObject* parent = nullptr);
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    [[nodiscard]] ThemeChoice choice() const { return m_choice; }
    void setChoice(ThemeChoice choice);

  Q_SIGNALS:
    /// Emitted after the application's palette and style sheet were replaced.
    void changed();

  private:
    ThemeChoice m_choice;
    ThemeKind m_systemKind;
    Theme m_theme;
};

}  // namespace lacuna::ui
