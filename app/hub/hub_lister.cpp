#include "app/hub/hub_lister.h"

#include <utility>

#include "app/state/number_format.h"

namespace lacuna::app {

HubLister::HubLister(FetchRules rules, QObject* parent)
    : QObject(parent), m_fetch(std::move(rules)) {
    m_fetch.setParent(this);
    connect(&m_fetch, &HubFetch::head, this, [this] {
        m_next = nextPage(m_fetch.field("Link"));
        if (m_fetch.status() != 200) end(statusProblem(m_fetch));
    });
    connect(&m_fetch, &HubFetch::bytes, this, &HubLister::onBytes);
    connect(&m_fetch, &HubFetch::ended, this, &HubLister::onEnded);
}

void HubLister::list(const QUrl& hub, const HubRepository& repository) {
    m_files.clear();
    m_page.clear();
    m_next.clear();
    m_pages = 0;
    m_fetch.get(listingUrl(hub, repository), {{"Accept", "application/json"}});
}

void HubLister::onBytes() {
    m_page += m_fetch.take();
    if (m_page.size() <= kMaxListing) return;
    end({HubFault::Listing,
         tr("The list of files is larger than %1 and is not read.").arg(bytesText(kMaxListing))});
}

void HubLister::onEnded(const std::optional<HubProblem>& problem) {
    if (problem) return end(*problem);
    const auto files = filesIn(std::exchange(m_page, {}));
    if (!files) return end(files.error());
    m_files += *files;
    if (m_files.size() > kMaxListedFiles || ++m_pages > kMaxListingPages)
        return end({HubFault::Listing, tr("The list of files is too long.")});
    if (m_next.isEmpty()) {
        Q_EMIT listed(m_files);
        return;
    }
    const QUrl from = m_fetch.url();
    const QUrl to = from.resolved(QUrl::fromEncoded(m_next.toLatin1()));
    if (!sameOrigin(from, to))
        return end({HubFault::Redirect,
                    tr("The list of files continues on another host (%1), which is not followed.")
                        .arg(to.host())});
    m_fetch.get(to, {{"Accept", "application/json"}});
}

void HubLister::end(const HubProblem& problem) {
    m_fetch.stop();
    m_page.clear();
    Q_EMIT failed(problem);
}

}  // namespace lacuna::app
