package main

import (
	"k8s.io/component-base/cli"
	apiserverapp "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanagerapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	schedulerapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// The components of the control plane, by the names of their commands, which also name their log and pid files.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kwok              = "kwok"
)

func runAPIServer() int         { return cli.Run(apiserverapp.NewAPIServerCommand()) }
func runControllerManager() int { return cli.Run(controllermanagerapp.NewControllerManagerCommand()) }
func runScheduler() int         { return cli.Run(schedulerapp.NewSchedulerCommand()) }
