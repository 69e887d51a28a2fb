#include "app/state/pdf_text.h"

#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>

#include <memory>

#include "app/state/number_format.h"
#include "app/state/text_files.h"

namespace lacuna::app {

namespace {

QString textOfPage(const poppler::page& page) {
    const poppler::byte_array utf8 =
        page.text(poppler::rectf(), poppler::page::non_raw_non_physical_layout).to_utf8();
    QString text = QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
    return text.remove(QLatin1Char('\f')).remove(QChar(QChar::Null)).trimmed();
}

}  // namespace

PdfText textOfPdf(const QByteArray& bytes, const QString& name, qsizetype mostLetters,
                  const std::function<bool()>& cancelled) {
    // What it makes of damaged objects is no message of ours.
    poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
    PdfText read;
    const std::unique_ptr<poppler::document> document(
        poppler::document::load_from_raw_data(bytes.constData(), static_cast<int>(bytes.size())));
    if (document == nullptr) {
        read.problem = TextFiles::tr("%1 is damaged, or no PDF: it cannot be read.").arg(name);
        return read;
    }
    if (document->is_locked()) {
        read.problem = TextFiles::tr(
                           "%1 is encrypted and opens with a password only. Save it without one "
                           "first.")
                           .arg(name);
        return read;
    }
    read.pages = document->pages();
    for (int at = 0; at < read.pages && !(cancelled && cancelled()); ++at) {
        const std::unique_ptr<poppler::page> page(document->create_page(at));
        const QString text = page == nullptr ? QString() : textOfPage(*page);
        if (text.isEmpty()) ++read.pictures;
        if (!text.isEmpty() && !read.text.isEmpty()) read.text += QStringLiteral("\n\n");
        read.text += text;
        if (read.text.size() <= mostLetters) continue;
        read.text.clear();
        read.problem = TextFiles::tr(
                           "%1 has more than %2 characters of text, which is more than "
                           "can be attached.")
                           .arg(name, countText(mostLetters));
        return read;
    }
    if (read.text.isEmpty())
        read.problem =
            TextFiles::tr(
                "%1 has no text: its pages (%2) are pictures, as of a scan. Have its words "
                "recognised first, for example with ocrmypdf.")
                .arg(name, countText(read.pages));
    return read;
}

}  // namespace lacuna::app
