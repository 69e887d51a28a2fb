#include "ui/style/language.h"

#include <QCoreApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>

#include "app/state/engine/engine_text.h"
#include "app/state/figure_language.h"

namespace lacuna::ui {

namespace {

struct LanguageTexts {
    Q_DECLARE_TR_FUNCTIONS(Language)
};

constexpr QLatin1String kKey("window/language");

QLocale localeOf(Language language) {
    switch (language) {
        case Language::German:
            return {QLocale::German, QLocale::Germany};
        case Language::Chinese:
            return {QLocale::Chinese, QLocale::China};
        case Language::System:
        case Language::English:
            break;
    }
    return {QLocale::English, QLocale::UnitedStates};
}

/// Number fields use no thousands separators: a decimal point typed instead of a comma is rejected
/// rather than ignored.
QLocale fieldLocale(Language language) {
    QLocale locale = localeOf(language);
    locale.setNumberOptions(QLocale::OmitGroupSeparator | QLocale::RejectGroupSeparator);
    return locale;
}

/// Qt translates key names itself; this key is also mentioned in texts, which use another word.
[[maybe_unused]] const char* const kReturnKey = QT_TRANSLATE_NOOP("QShortcut", "Return");

QByteArray engineTexts() {
    QFile file(QStringLiteral(":/translations/engine_texts.txt"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

QList<Language> languages() {
    return {Language::System, Language::English, Language::German, Language::Chinese};
}

QString languageName(Language language) {
    switch (language) {
        case Language::System:
            return LanguageTexts::tr("System language");
        case Language::English:
            return QStringLiteral("English");
        case Language::German:
            return QStringLiteral("Deutsch");
        case Language::Chinese:
            return QStringLiteral("\u7b80\u4f53\u4e2d\u6587");
    }
    return {};
}

QString languageCode(Language language) {
    switch (language) {
        case Language::System:
            return QStringLiteral("system");
        case Language::English:
            return QStringLiteral("en");
        case Language::German:
            return QStringLiteral("de");
        case Language::Chinese:
            return QStringLiteral("zh_CN");
    }
    return {};
}

Language languageOf(const QString& code) {
    for (const Language language : languages())
        if (languageCode(language) == code) return language;
    return Language::System;
}

Language firstAvailable(const QStringList& preferred) {
    for (const QString& name : preferred) {
        const QLocale locale(name);
        if (locale.language() == QLocale::English) return Language::English;
        if (locale.language() == QLocale::German) return Language::German;
        const bool simplified = locale.script() == QLocale::SimplifiedHanScript;
        if (locale.language() == QLocale::Chinese && simplified) return Language::Chinese;
    }
    return Language::English;
}

QSettings windowSettings() {
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("lacuna"),
                     QStringLiteral("window"));
}

Language storedLanguage(const QSettings& settings) {
    return languageOf(settings.value(kKey).toString());
}

void storeLanguage(QSettings& settings, Language language) {
    settings.setValue(kKey, languageCode(language));
    settings.sync();
}

Translation::Translation(Language language)
    : m_language(language == Language::System ? firstAvailable(QLocale::system().uiLanguages())
                                              : language) {
    const QString code = languageCode(m_language);
    QLocale::setDefault(fieldLocale(m_language));
    app::setFigureLocale(localeOf(m_language));
    // This program's catalogue comes last, since the newest one is queried first. The English one
    // contains only plural forms.
    if (m_language != Language::English &&
        m_qt.load(QStringLiteral("qtbase_") + code,
                  QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&m_qt);
    if (m_own.load(QStringLiteral(":/translations/lacuna_") + code))
        QCoreApplication::installTranslator(&m_own);
    if (m_language != Language::English) app::setEngineTexts(engineTexts());
}

Translation::~Translation() {
    app::setEngineTexts({});
    QCoreApplication::removeTranslator(&m_own);
    QCoreApplication::removeTranslator(&m_qt);
    app::setFigureLocale(localeOf(Language::English));
    QLocale::setDefault(QLocale::system());
}

}  // namespace lacuna::ui
