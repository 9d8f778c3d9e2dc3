import { exported } from '../ask/exported'
import { useQuery } from '@tanstack/react-query'
import { Answer } from '../parts/Answer'
import { useTitle } from '../shell/title'
import type { Licences } from './licence'

// LicencesPage names the packages that these pages hold parts of.
export function LicencesPage() {
  useTitle('Licences')
  const licences = useQuery<Licences, Error>({
    queryKey: ['licences'],
    queryFn: async ({ signal }) => (await fetch(new URL(exported === undefined ? '/licences.json' : 'licences.json', document.baseURI), { signal })).json() as Promise<Licences>,
  })
  return (
    <div className="page narrow">
      <div className="heading">
        <h1>Licences</h1>
        <p>
          D-AROS is under the Apache License 2.0. These pages hold parts of the packages below. <strong>elkjs</strong>, which lays out graphs, is
          used under the Eclipse Public License 2.0; it is distributed unchanged, as the file of the npm package, and its source is at{' '}
          <code>github.com/kieler/elkjs</code>.
        </p>
      </div>
      <Answer of={licences}>
        {({ packages, texts }) => (
          <ul className="licences">
            {packages.map((l) => (
              <li key={`${l.name} ${l.version}`}>
                <details>
                  <summary>
                    <strong>{l.name}</strong> {l.version} <span className="soft">{l.licence}</span>
                  </summary>
                  <pre>{texts[l.text] ?? 'The package has no file with the text of its licence.'}</pre>
                </details>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </div>
  )
}
