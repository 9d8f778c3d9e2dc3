package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	storageClass = "standard"
	provisioner  = "d-aros.dev/devcluster"
)

// createStorageClass makes claims that name no class get volumes too.
func createStorageClass(ctx context.Context, client kubernetes.Interface) error {
	reclaim, binding := corev1.PersistentVolumeReclaimRetain, storagev1.VolumeBindingImmediate
	_, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{Name: storageClass, Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
		Provisioner:       provisioner,
		ReclaimPolicy:     &reclaim,
		VolumeBindingMode: &binding,
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the storage class: %w", err)
	}
	return nil
}

// provisionVolumes gives every claim of the storage class a volume, and removes
// volumes whose claims are gone, until ctx ends. No byte is ever written to them:
// their pods run no code.
func provisionVolumes(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	claims := factory.Core().V1().PersistentVolumeClaims()
	volumes := factory.Core().V1().PersistentVolumes()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[any](100*time.Millisecond, 5*time.Second))
	add := func(obj any) {
		switch o := obj.(type) {
		case *corev1.PersistentVolumeClaim:
			if wantsVolume(o) {
				queue.Add(o)
			}
		case *corev1.PersistentVolume:
			if o.Spec.StorageClassName == storageClass && o.Status.Phase == corev1.VolumeReleased {
				queue.Add(o)
			}
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }}
	_, _ = claims.Informer().AddEventHandler(handler) // fails only on a stopped informer
	_, _ = volumes.Informer().AddEventHandler(handler)
	factory.Start(ctx.Done())
	context.AfterFunc(ctx, queue.ShutDown)
	for {
		obj, shutdown := queue.Get()
		if shutdown {
			return
		}
		var err error
		switch o := obj.(type) {
		case *corev1.PersistentVolumeClaim:
			err = createVolume(ctx, client, o)
		case *corev1.PersistentVolume:
			err = deleteVolume(ctx, client, o.Name)
		}
		queue.Done(obj)
		if err == nil {
			queue.Forget(obj)
		} else {
			queue.AddRateLimited(obj)
		}
	}
}

func wantsVolume(c *corev1.PersistentVolumeClaim) bool {
	return c.Spec.StorageClassName != nil && *c.Spec.StorageClassName == storageClass && c.Spec.VolumeName == "" && c.DeletionTimestamp == nil
}

// createVolume makes a volume that is the claim's own.
func createVolume(ctx context.Context, client kubernetes.Interface, claim *corev1.PersistentVolumeClaim) error {
	_, err := client.CoreV1().PersistentVolumes().Create(ctx, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(claim.UID)},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName:              storageClass,
			Capacity:                      claim.Spec.Resources.Requests,
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/nowhere"}},
		},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func deleteVolume(ctx context.Context, client kubernetes.Interface, name string) error {
	err := client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
