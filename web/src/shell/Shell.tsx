import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { exported } from '../ask/exported'
import { Freshness } from './Freshness'
import { Notices } from './Notices'
import { Past } from './Past'

const pages = [
  ['/', 'Fleet'],
  ['/pools', 'Pools'],
  ['/problems', 'Problems'],
  ['/timeline', 'Timeline'],
  ...(exported === undefined ? ([['/plan', 'Pull request']] as const) : []),
] as const

// Shell is what all pages have around them.
export function Shell() {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: (s) => s.location.pathname.replace(/\/(decision|run|history)$/, '') }) // a tab is no other page
  const first = useRef(path)
  useEffect(() => {
    if (first.current !== path) main.current?.focus({ preventScroll: true }) // who reads with the ears hears the new page
    first.current = path
  }, [path])
  return (
    <>
      <a
        className="skip"
        href="#content"
        onClick={(e) => {
          e.preventDefault() // in an export, what follows # is the page
          main.current?.focus()
        }}
      >
        Skip to the content
      </a>
      <header className="masthead">
        <Link to="/" className="brand" aria-label="D-AROS, the fleet">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M8 8h8a8 8 0 0 1 0 16H8z" />
            <circle cx="16" cy="16" r="2.6" />
          </svg>
          D-AROS
        </Link>
        <nav aria-label="Pages">
          {pages.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
              {name}
            </Link>
          ))}
        </nav>
        <Freshness />
      </header>
      <Past />
      <Notices />
      <main id="content" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <footer className="foot">
        <span>What is decided stands in Git, and changes there alone.</span>
        <Link to="/licences">Licences</Link>
      </footer>
    </>
  )
}
