import { useEffect } from 'react'

// useTitle names the page in the tab of the browser, and to those who hear it.
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · D-AROS`
  }, [title])
}
