import { AlertDialog, Dialog } from 'radix-ui'
import { useId, type ReactNode } from 'react'
import '../style/floating.css'
import './nonce'

// Modal is a dialog. The focus stays in it; Escape and the background close it.
export function Modal({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

// Confirm asks before something is done. What is safe has the focus, and only a choice closes it.
export function Confirm({ title, act, close, children }: { title: string; act: () => void; close: () => void; children: ReactNode }) {
  const id = useId()
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="dialog" aria-describedby={id}>
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description id={id}>{children}</AlertDialog.Description>
          <p className="adds">
            <AlertDialog.Cancel>Cancel</AlertDialog.Cancel>
            <AlertDialog.Action className="primary" onClick={act}>Remove</AlertDialog.Action>
          </p>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
